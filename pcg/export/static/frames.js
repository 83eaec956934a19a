// Frames: which picture every sprite has. The rules are those of `pcg.web.player.frames`, so that pages look alike.

const FACING = { none: 0, up: 1, left: 2, down: 3, right: 4 };
const PERIOD = 9; // of so many cells, about one shows each variant of a ground

function facing(x, y) {
  if ((x === 0 && y === 0) || (x === -1 && y === -1)) return FACING.none;
  if (Math.abs(x) >= Math.abs(y)) return x > 0 ? FACING.right : FACING.left;
  return y > 0 ? FACING.down : FACING.up;
}

const known = new Map();

/** The variant of a ground in a cell, by its position only. */
function scatter(column, row) {
  const key = column * 65536 + row;
  if (!known.has(key)) {
    let n = BigInt(column) * 374761393n + BigInt(row) * 668265263n;
    n = ((n ^ (n >> 13n)) * 1274126177n) & 0xffffffffn;
    known.set(key, Number((n ^ (n >> 16n)) % BigInt(PERIOD)));
  }
  return known.get(key);
}

/** What a board shows of a play: everything, as `Board.show` takes it. */
export function frameOf(play) {
  const { types } = play.about, block = play.level.block, all = play.sprites(), put = [];
  const stacks = new Set();
  for (const s of all) if (types[s.type] && types[s.type][1] >= 0) stacks.add(`${s.type},${s.x},${s.y}`);
  for (const s of all) {
    if (!types[s.type]) continue;
    const [names, below] = types[s.type];
    let name = 0;
    if (below >= 0 && stacks.has(`${s.type},${s.x},${s.y + s.h}`)) name = below;
    else {
      const variants = names.length - (below >= 0 ? 1 : 0);
      if (variants > 1) name = scatter(Math.floor(s.x / block), Math.floor(s.y / block));
      if (name >= variants) name = 0;
    }
    const stamps = names[name], stamp = stamps[stamps.length > 1 ? facing(s.ox, s.oy) : 0];
    put.push(s.w === block && s.h === block ? [s.id, stamp, s.x, s.y] : [s.id, stamp, s.x, s.y, s.w, s.h]);
  }
  return put;
}

/** Says what changes on the board from one frame to the next. */
export class Changes {
  /** @returns {object} a frame: whole the first time, then what is new, what looks different, and what is gone. */
  next(play, whole = false) {
    const put = frameOf(play), now = new Map(put.map((p) => [p[0], p.join()]));
    const before = whole ? null : this.before;
    this.before = now;
    if (!before) return { whole: true, put, gone: [] };
    return { put: put.filter((p) => before.get(p[0]) !== now.get(p[0])), gone: [...before.keys()].filter((id) => !now.has(id)) };
  }
}
