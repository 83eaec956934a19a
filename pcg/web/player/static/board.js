// The board: draws the frames of a play on a canvas. It knows sprites and pictures, and nothing of games or networks.
// Frames are described in docs/web.md.

/** A picture sheet: `image` is loaded; `tile`, `columns` and `stamps` ([layer, shrink] each) as the server tells. */
export async function loadSheet(sheet) {
  const image = new Image();
  image.src = sheet.url;
  await image.decode();
  return { ...sheet, image };
}

export class Board {
  /**
   * @param {HTMLCanvasElement} canvas where to draw; its width follows from the room there is (see `fit`).
   * @param {{width: number, height: number, block: number}} size cells, and pixels of the game per cell.
   * @param {object} sheet from `loadSheet`.
   * @param {number[]} room width and height to fit into, where they are known already.
   */
  constructor(canvas, size, sheet, room = []) {
    this.canvas = canvas;
    this.size = size;
    this.sheet = sheet;
    this.sprites = new Map();
    this.cells = new Map(); // cell number -> ids of the sprites that touch it
    this.fit(...room);
  }

  /** Choose a whole number of pixels per cell so that the board fills the room it has, and draw it anew. */
  fit(maxWidth = this.canvas.parentElement.clientWidth, maxHeight = window.innerHeight * 0.7) {
    const { width, height } = this.size;
    const ratio = window.devicePixelRatio || 1;
    const shown = Math.max(4, Math.min(maxWidth / width, maxHeight / height, 64));
    this.cell = Math.max(4, Math.floor(shown * ratio));
    this.canvas.width = this.cell * width;
    this.canvas.height = this.cell * height;
    this.canvas.style.width = `${(this.cell * width) / ratio}px`;
    this.canvas.style.height = `${(this.cell * height) / ratio}px`;
    this.pen = this.canvas.getContext("2d");
    this.pen.imageSmoothingEnabled = this.cell < this.sheet.tile;
    this.drawAll();
  }

  /** Show a frame: everything anew if it is whole, else what changed. */
  show(frame) {
    const dirty = new Set();
    if (frame.whole) {
      this.sprites.clear();
      this.cells.clear();
    }
    for (const id of frame.gone || []) this.remove(id, dirty);
    for (const [id, stamp, x, y, w, h] of frame.put || []) {
      this.remove(id, dirty);
      const block = this.size.block;
      const sprite = { id, stamp, x, y, w: w ?? block, h: h ?? block };
      this.sprites.set(id, sprite);
      for (const cell of this.touched(sprite)) {
        if (!this.cells.has(cell)) this.cells.set(cell, new Set());
        this.cells.get(cell).add(sprite);
        dirty.add(cell);
      }
    }
    if (frame.whole) this.drawAll();
    else for (const cell of dirty) this.drawCell(cell);
  }

  remove(id, dirty) {
    const sprite = this.sprites.get(id);
    if (!sprite) return;
    this.sprites.delete(id);
    for (const cell of this.touched(sprite)) {
      this.cells.get(cell)?.delete(sprite);
      dirty.add(cell);
    }
  }

  /** The numbers of the cells a sprite touches, as far as they are on the board. */
  touched({ x, y, w, h }) {
    const { width, height, block } = this.size;
    const found = [];
    const right = Math.min(width - 1, Math.floor((x + Math.max(w, 1) - 1) / block));
    const bottom = Math.min(height - 1, Math.floor((y + Math.max(h, 1) - 1) / block));
    for (let row = Math.max(0, Math.floor(y / block)); row <= bottom; row++)
      for (let column = Math.max(0, Math.floor(x / block)); column <= right; column++) found.push(row * width + column);
    return found;
  }

  /** Draw everything: what is drawn cell by cell, without the cutting that only parts of a picture need. */
  drawAll() {
    this.pen.fillStyle = "#22202d";
    this.pen.fillRect(0, 0, this.canvas.width, this.canvas.height);
    for (const sprite of this.ordered(this.sprites.values())) this.drawSprite(sprite);
  }

  /** Sprites in the order of drawing: lower layers first, within one by id. */
  ordered(sprites) {
    const stamps = this.sheet.stamps;
    return [...sprites].sort((a, b) => stamps[a.stamp][0] - stamps[b.stamp][0] || a.id - b.id);
  }

  /** Draw one cell: what touches it, lower layers first, cut off at its border. */
  drawCell(number) {
    const pen = this.pen;
    const side = this.cell;
    const left = (number % this.size.width) * side;
    const top = Math.floor(number / this.size.width) * side;
    const found = this.ordered(this.cells.get(number) || []);
    pen.save();
    pen.beginPath();
    pen.rect(left, top, side, side);
    pen.clip();
    pen.fillStyle = "#22202d";
    pen.fillRect(left, top, side, side);
    for (const sprite of found) this.drawSprite(sprite);
    pen.restore();
  }

  drawSprite({ stamp, x, y, w, h }) {
    const { tile, columns, image, stamps } = this.sheet;
    const scale = this.cell / this.size.block;
    let left = Math.floor(x * scale);
    let top = Math.floor(y * scale);
    let right = Math.max(left + 1, Math.floor((x + w) * scale));
    let bottom = Math.max(top + 1, Math.floor((y + h) * scale));
    const shrink = stamps[stamp][1];
    if (shrink < 1) {
      const marginX = Math.floor(((right - left) * (1 - shrink)) / 2);
      const marginY = Math.floor(((bottom - top) * (1 - shrink)) / 2);
      left += marginX;
      right -= marginX;
      top += marginY;
      bottom -= marginY;
    }
    const sx = (stamp % columns) * tile;
    const sy = Math.floor(stamp / columns) * tile;
    this.pen.drawImage(image, sx, sy, tile, tile, left, top, right - left, bottom - top);
  }
}
