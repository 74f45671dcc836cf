// The page's colours as numbers, so that cells can be shaded.

/** @typedef {number[]} Colour red, green and blue, from 0 to 255 */

/** A colour of the style sheet. @param {string} name @returns {Colour} */
export function styleColour(name) {
  const text = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  return [1, 3, 5].map(place => parseInt(text.slice(place, place + 2), 16));
}

/** @param {Colour} one @param {Colour} two @param {number} share of the second @returns {Colour} */
export const mixed = (one, two, share) => one.map((value, i) => Math.round(value + (two[i] - value) * share));

/** @param {number} value */
const linearLight = value => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);

/** Relative luminance, as contrast is measured. @param {Colour} colour */
export function luminance(colour) {
  const [red, green, blue] = colour.map(value => linearLight(value / 255));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** @param {Colour} colour */
export const colourText = colour => `rgb(${colour.join(',')})`;
