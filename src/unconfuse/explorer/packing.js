// Columns of numbers that packing.py made short.

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUE_OF = new Map([...DIGITS].map((sign, value) => [sign, value]));
/** @type {Map<string, null | string>} */
const OTHERS = new Map([
  ['-', null],
  ['.', 'inf'],
  [',', '-inf'],
]);

/** @param {string} text how many decimals, and the steps from number to number @returns {(number | string | null)[]} */
export function unpacked(text) {
  const [places, steps] = text.split(' ');
  const scale = 10 ** Number(places);
  /** @type {(number | string | null)[]} */
  const column = [];
  let [whole, left, weight] = [0, 0, 1];
  for (const sign of steps) {
    const other = OTHERS.get(sign);
    if (other !== undefined) {
      column.push(other);
      continue;
    }
    const value = VALUE_OF.get(sign) || 0;
    left += weight * (value % 32);
    weight *= 32;
    if (value >= 32) continue;
    whole += left % 2 ? -(left - 1) / 2 : left / 2;
    column.push(whole / scale);
    [left, weight] = [0, 1];
  }
  return column;
}
