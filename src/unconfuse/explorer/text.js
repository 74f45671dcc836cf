// Numbers as words: the same texts that Python prints.

/** @import {Column, Value} from './types' */

/** @param {Value | undefined} value @returns {number} */
export function number(value) {
  if (value === 'inf') return Infinity;
  if (value === '-inf') return -Infinity;
  return value === null || value === undefined ? NaN : /** @type {number} */ (value);
}

/** @param {Column} column */
export const numbers = column => column.map(number);

/**
 * Fixed digits; exact halves go to the even neighbour, as in Python. x is such a half iff x * 2^(digits + 1) is odd.
 * @param {number} x @param {number} digits
 */
export function fixed(x, digits) {
  const halves = x * 2 ** (digits + 1);
  if (!Number.isInteger(halves) || halves % 2 === 0) return x.toFixed(digits);
  const below = Math.floor(x * 10 ** digits);
  return ((below % 2 === 0 ? below : below + 1) / 10 ** digits).toFixed(digits);
}

/** @param {string} text */
export const grouped = text => text.replace(/\B(?=(\d{3})+(?!\d))/g, ',');

/** @param {string} text */
const withoutTrailingZeros = text => (text.includes('.') ? text.replace(/\.?0+$/, '') : text);

/**
 * Significant digits without trailing zeros; exponents below 0.0001.
 * @param {number} x @param {number} digits
 */
export function general(x, digits) {
  if (x === 0) return '0';
  const [head, power] = x.toExponential(digits - 1).split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < digits) return withoutTrailingZeros(fixed(x, digits - 1 - exponent));
  return `${withoutTrailingZeros(head)}e${power[0]}${power.slice(1).padStart(2, '0')}`;
}

/** @param {number} x */
export function numberText(x, digits = 3) {
  if (Number.isNaN(x)) return 'undefined';
  if (!Number.isFinite(x)) return x > 0 ? 'inf' : '-inf';
  const size = Math.abs(x);
  if (size < 1e-12) return (0).toFixed(digits);
  if (size >= 1e15) return general(x, 4);
  if (size >= 10 ** digits) return grouped(fixed(x, 0));
  if (size >= 10) return fixed(x, Math.max(digits - 2, 1));
  if (1 - size > 1e-12 && 1 - size <= 10 ** -digits / 2) return nearlyOne(x);
  return size >= 10 ** -(digits - 1) / 2 ? fixed(x, digits) : general(x, 2);
}

/** Two significant digits of what is missing to 1. @param {number} x */
const nearlyOne = x => fixed(x, 1 - Math.floor(Math.log10(1 - Math.abs(x)))).replace(/0+$/, '');

/**
 * One end of an interval: three decimals where it is small, shown by them, and the other end is not small.
 * @param {number} end @param {number} other
 */
function endText(end, other) {
  const [size, beside] = [Math.abs(end), Math.abs(other)];
  return size >= 0.0005 && size < 0.005 && beside >= 0.005 && beside < 10 ? fixed(end, 3) : numberText(end);
}

/** @param {number} low @param {number} high */
export const intervalText = (low, high) =>
  Number.isNaN(low) && Number.isNaN(high) ? '' : `[${endText(low, high)}, ${endText(high, low)}]`;

/** A value with as many decimals as its interval. @param {number} value @param {number} low @param {number} high */
export const valueBeside = (value, low, high) =>
  Number.isNaN(low) || Number.isNaN(high) ? numberText(value) : endText(value, Math.max(Math.abs(low), Math.abs(high)));

/**
 * Three digits, and never 0% or 100% for what is only nearly so.
 * @param {number} x
 */
export function percentText(x) {
  if (Number.isNaN(x)) return 'undefined';
  const text = general(100 * x, 3);
  if (text.includes('e') && Math.abs(x) < 1) return `${withoutTrailingZeros((100 * x).toFixed(12))}%`;
  return (text === '100' && x < 1 ? general(100 * x, 6) : text) + '%';
}

/** One end of a range of shares: with one decimal, where that is as good as its own digits. @param {number} x */
const percentEnd = x => (x >= 0.0995 && x <= 0.9995 ? `${fixed(100 * x, 1)}%` : percentText(x));

/** @param {number} low @param {number} high */
export const percentRange = (low, high) => `${percentEnd(low)} to ${percentEnd(high)}`;

/** @param {number} x */
export function countText(x) {
  if (Number.isNaN(x)) return 'undefined';
  if (Number.isInteger(x)) return grouped(String(x));
  return x >= 100 ? grouped(fixed(x, 0)) : fixed(x, 1);
}

/**
 * Expected people, or what they cost: about three digits.
 * @param {number} x
 */
export function costText(x) {
  if (Number.isNaN(x)) return 'undefined';
  if (x >= 99.5) return grouped(fixed(x, 0));
  return x >= 9.95 ? fixed(x, 1) : general(x, 2);
}

/** @param {number} p */
export function pValueText(p) {
  if (Number.isNaN(p)) return '';
  return p < 0.001 ? '< 0.001' : fixed(p, 3);
}

/** @param {number} x */
export const thresholdText = x => (x === Infinity ? 'above every score' : String(Number(general(x, 6))));

/** @param {number} level */
export const levelText = level => `${general(100 * level, 4)}%`;

/** @param {string} text */
export const capital = text => text.slice(0, 1).toUpperCase() + text.slice(1);

/**
 * Names cut in the middle, where those that share a beginning or an end still differ; in full where they would not.
 * @param {string[]} names @param {number} room
 */
export function middleCut(names, room) {
  const cut = names.map(name => {
    const letters = [...name];
    const head = Math.ceil((room - 1) / 3);
    return letters.length <= room
      ? name
      : `${letters.slice(0, head).join('')}…${letters.slice(head + 1 - room).join('')}`;
  });
  return new Set(cut).size < new Set(names).size ? names : cut;
}

/** @param {string} verdict */
export const verdictClass = verdict => verdict.replaceAll(' ', '-');

/** A name that is written from right to left, with a number behind a comma or bracket. */
const FROM_RIGHT = /[\p{sc=Hebrew}\p{sc=Arabic}]+(?:[ '’-]+[\p{sc=Hebrew}\p{sc=Arabic}]+)*(?= *[,;:(][^\p{L}]*\d)/gu;

/** Such a name keeps to itself: the numbers behind it stay behind it. @param {string} text */
export const isolated = text => text.replace(FROM_RIGHT, '\u2068$&\u2069');
