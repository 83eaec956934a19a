const WON = 1e12; // more than all lines of a board are worth

/** The cells of every line of `inarow` cells; cells are numbered in rows from the top left. */
function lines(rows, columns, inarow) {
  const found = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      for (const [down, across] of [[0, 1], [1, 0], [1, 1], [1, -1]]) {
        const low = row + down * (inarow - 1), end = column + across * (inarow - 1);
        if (low >= rows || end < 0 || end >= columns) continue;
        found.push(Array.from({ length: inarow }, (_, k) => (row + k * down) * columns + column + k * across));
      }
    }
  }
  return found;
}

/** Who answers the reader: alpha-beta search, one move deeper each time until so many moves were tried that the answer
 * comes within half a second or so. The same board gets the same answer. */
class Opponent {
  constructor(rows, columns, inarow) {
    Object.assign(this, { rows, columns, inarow, most: 400_000 / inarow, lines: lines(rows, columns, inarow) });
    this.values = Array.from({ length: inarow + 1 }, (_, discs) => (discs ? 4 ** Math.min(discs - 1, 8) : 0));
    this.through = Array.from({ length: rows * columns }, () => []);
    this.lines.forEach((line, k) => line.forEach((cell) => this.through[cell].push(k)));
    const off = (column) => Math.abs(2 * column - columns + 1);
    this.order = [...Array(columns).keys()].sort((a, b) => off(a) - off(b) || a - b);
  }

  /** The column that player `mark` (1 or 2) takes; -1 where no column has room. */
  choose(cells, mark) {
    this.held = [null, new Int32Array(this.lines.length), new Int32Array(this.lines.length)]; // discs in each line
    this.sum = this.tried = 0;
    this.room = new Int32Array(this.columns); // free cells of each column
    cells.forEach((owner, cell) => {
      if (owner) this.put(cell, owner, 1);
      else this.room[cell % this.columns]++;
    });
    const left = this.room.reduce((sum, free) => sum + free, 0);
    let best = -1;
    for (let depth = 1; depth <= left; depth++) {
      const found = this.search(mark, depth, -Infinity, Infinity, best);
      if (this.tried > this.most && best >= 0) break; // not all of this depth was seen
      best = found.column;
      if (Math.abs(found.value) >= WON) break; // who wins is settled
    }
    return best;
  }

  /** What a line is worth to player 1: lines with discs of both are worth nothing. */
  worth(line) {
    const mine = this.held[1][line], other = this.held[2][line];
    return mine && other ? 0 : this.values[mine] - this.values[other];
  }

  /** Put a disc in a cell, or take it away (`by` -1). Return whether a line is whole. */
  put(cell, mark, by) {
    let whole = false;
    for (const line of this.through[cell]) {
      this.sum -= this.worth(line);
      this.held[mark][line] += by;
      this.sum += this.worth(line);
      whole ||= this.held[mark][line] === this.inarow;
    }
    return whole;
  }

  /** The best move of `mark` by `depth` moves; `value` is for `mark`, more for an early win and a late loss. */
  search(mark, depth, low, high, first) {
    let best = { value: -Infinity, column: -1 };
    for (const column of first < 0 ? this.order : [first, ...this.order.filter((one) => one !== first)]) {
      if (!this.room[column]) continue;
      if (++this.tried > this.most && depth > 1) break;
      const cell = (this.room[column] - 1) * this.columns + column, whole = this.put(cell, mark, 1);
      this.room[column]--;
      let value = (mark === 1 ? 1 : -1) * this.sum;
      if (whole) value = WON + depth;
      else if (depth > 1) value = -this.search(3 - mark, depth - 1, -high, -low, -1).value;
      this.room[column]++;
      this.put(cell, mark, -1);
      if (value > best.value) best = { value, column };
      low = Math.max(low, value);
      if (low >= high) break;
    }
    return best.column < 0 ? { value: 0, column: -1 } : best; // nothing has room: a draw
  }
}
