// Decodes pictures from their arithmetic code; reports/picture_code.py describes and writes it.

const LEFT = 0, UP = 1 << 12, RIGHT = 2 << 12, ENTRY = 3 << 12, LARGEST_ENTRY = 4 << 12, CONTEXTS = LARGEST_ENTRY + 256;
const EVEN = 1 << 15, SURE = 32, MEMORY = 60;

class Decoder {
  constructor(code) {
    this.code = code;
    this.place = 4;
    this.low = 0;
    this.high = 0xffffffff;
    this.value = new DataView(Uint8Array.from({ length: 4 }, (_, k) => code[k] ?? 0).buffer).getUint32(0);
    this.chances = new Uint16Array(CONTEXTS).fill(EVEN);
    this.counts = new Uint8Array(CONTEXTS);
  }

  /** The next decision, true or false. */
  decide(context) {
    const chance = this.chances[context];
    const span = this.high - this.low;
    const middle = this.low + (span >>> 16) * chance + (((span & 0xffff) * chance) >>> 16);
    const isTrue = this.value <= middle;
    if (isTrue) this.high = middle;
    else this.low = middle + 1;
    while ((this.low ^ this.high) >>> 24 === 0) {
      this.low = (this.low << 8) >>> 0;
      this.high = ((this.high << 8) | 0xff) >>> 0;
      this.value = ((this.value << 8) | (this.code[this.place++] ?? 0)) >>> 0;
    }
    const goal = isTrue ? 65536 - SURE : SURE;
    this.chances[context] = chance + Math.trunc((goal - chance) / (this.counts[context] + 1.5));
    if (this.counts[context] < MEMORY) this.counts[context] += 1;
    return isTrue;
  }

  bits(count, first) {
    let node = 1;
    for (let bit = 0; bit < count; bit++) node = 2 * node + (this.decide(first + node) ? 1 : 0);
    return node - (1 << count);
  }

  /** The next picture: palette entries, row by row. */
  picture({ width, height }) {
    const row = width + 4; // two empty cells at each side, and two empty rows above
    const seen = new Uint8Array((height + 2) * row);
    const entries = new Uint8Array(width * height);
    const largest = this.bits(8, LARGEST_ENTRY);
    const size = Math.max(1, 32 - Math.clz32(largest));
    for (let y = 0, done = 0; y < height; y++) {
      for (let place = (y + 2) * row + 2; place < (y + 3) * row - 2; place++) {
        entries[done++] = seen[place] = this.cell(seen, place, row, largest, size);
      }
    }
    return entries;
  }

  cell(seen, place, row, largest, size) {
    const left = seen[place - 1], up = seen[place - row], right = seen[place - row + 1];
    const corner = seen[place - row - 1], above = seen[place - 2 * row];
    const context = (left === up) | ((left === corner) << 1) | ((up === corner) << 2) | ((up === right) << 3)
      | ((left === seen[place - 2]) << 4) | ((up === above) << 5) | ((left === 0) << 6) | ((up === 0) << 7)
      | ((right === seen[place - row + 2]) << 8) | ((corner === seen[place - row - 2]) << 9)
      | ((above === seen[place - 2 * row - 1]) << 10) | ((above === seen[place - 2 * row + 1]) << 11);
    if (this.decide(LEFT + context)) return left;
    if (largest < 2) return 1 - left;
    if (up !== left && this.decide(UP + context)) return up;
    if (right !== left && right !== up && this.decide(RIGHT + context)) return right;
    return this.bits(size, ENTRY + 256 * Math.min(left, 15));
  }
}
