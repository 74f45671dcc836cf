// What packing.py made short: columns of numbers, and rows alike as columns.

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
/** What each sign is worth; missing for those below. @type {number[]} */
const VALUE_OF = [];
for (let value = 0; value < DIGITS.length; value++) VALUE_OF[DIGITS.charCodeAt(value)] = value;
/** @type {Record<string, null | string>} */
const OTHERS = {'-': null, '.': 'inf', ',': '-inf'};

/** @param {string} text how many decimals, and the steps from number to number @returns {(number | string | null)[]} */
function unpacked(text) {
  const scale = 10 ** parseInt(text, 10);
  /** @type {(number | string | null)[]} */
  const column = [];
  let whole = 0;
  let left = 0;
  let weight = 1;
  for (let at = text.indexOf(' ') + 1; at < text.length; at++) {
    const value = VALUE_OF[text.charCodeAt(at)];
    if (value === undefined) {
      column.push(OTHERS[text[at]]);
      continue;
    }
    left += weight * (value % 32);
    weight *= 32;
    if (value >= 32) continue;
    whole += left % 2 ? -(left - 1) / 2 : left / 2;
    column.push(whole / scale);
    left = 0;
    weight = 1;
  }
  return column;
}

/** Rows from their names and columns. @param {[string[], ...unknown[][]]} made */
function rowsOf([names, ...columns]) {
  return columns[0].map((_, i) => Object.fromEntries(names.map((name, k) => [name, columns[k][i]])));
}

/** What JSON.parse asks of every value. @param {string} _ @param {any} value */
export function revived(_, value) {
  const made = value?.$;
  if (typeof made === 'string') return value.of ? unpacked(made).map(i => value.of[Number(i)]) : unpacked(made);
  if (!Array.isArray(made)) return value;
  const rows = rowsOf(/** @type {[string[], ...unknown[][]]} */ (made));
  return value.of
    ? Object.fromEntries(value.of.map((/** @type {string} */ name, /** @type {number} */ i) => [name, rows[i]]))
    : rows;
}
