// What a reader pictures: so many of 1,000, and one sentence. `results/natural_frequencies.py` says the same in Python.

import {countText, fixed, grouped, levelText} from './text.js';
import {POSITIVE, UNIT} from './words.js';

/** @import {Cell, Counts} from './types' */

/** @type {Cell[]} */
const CELL_NAMES = ['tp', 'fp', 'fn', 'tn'];
const LARGEST_BASE = 10 ** 6;
const FEW = 10;
/** Of an interval beyond which its middle is not said. */
const WIDE = 0.5;

/**
 * The four cells per n cases, rounded so that they still add up to n.
 * @param {Counts} counts @returns {Record<Cell, number>}
 */
export function inWhole(counts, n = 1000) {
  const exact = CELL_NAMES.map(name => n * (counts[name] / counts.total));
  const whole = exact.map(each => Math.floor(each + 1e-9));
  const missing = n - whole.reduce((sum, each) => sum + each, 0);
  const rest = exact.map((each, i) => Math.round(1e6 * (whole[i] - each)));
  const ranked = CELL_NAMES.map((_, i) => i).sort((a, b) => rest[a] - rest[b] || a - b);
  for (const i of ranked.slice(0, missing)) whole[i] += 1;
  return {tp: whole[0], fp: whole[1], fn: whole[2], tn: whole[3]};
}

/** A share as so many of 100, or of more where that would say none or all. @param {number} share */
function soMany(share) {
  const rounded = (/** @type {number} */ base) => Number(fixed(share * base, 0));
  let base = 100;
  while (share > 0 && share < 1 && [0, base].includes(rounded(base)) && base < LARGEST_BASE) base *= 10;
  return {count: rounded(base), base};
}

/** @param {number} count */
const said = count => grouped(String(count));

/** Parts of a sentence; those with a look are stressed. @typedef {{text: string, look?: string}[]} Said */

/** So few that shares of a hundred would promise too much. @param {Counts} counts */
function fewParts({tp, positives}) {
  const look = tp ? 'found' : 'missed';
  const does = tp ? 'finds' : 'misses';
  const one = `Only one of the ${UNIT} is ${POSITIVE}, and it `;
  if (positives === 1) return [{text: one}, {text: `${does} that one`, look}];
  return [
    {text: `Of only ${positives} ${POSITIVE} ${UNIT}, it `},
    {text: `finds ${tp}`, look},
    {text: ` and misses ${positives - tp}`},
  ];
}

/** @param {Counts} counts @param {string} whom @returns {Said} */
function findingParts(counts, whom) {
  const share = counts.tp / counts.positives;
  if (counts.positives < FEW && Number.isInteger(counts.tp) && Number.isInteger(counts.fn)) return fewParts(counts);
  const all = `${countText(counts.positives)} ${whom} in these data`;
  if (share === 0) return [{text: 'It finds '}, {text: `none of the ${all}`, look: 'missed'}];
  if (share === 1) return [{text: 'It '}, {text: `finds all ${all}`, look: 'found'}];
  const {count, base} = soMany(share);
  const found = {text: `finds ${said(count)}`, look: 'found'};
  return [{text: `Of ${said(base)} ${whom}, it `}, found, {text: ` and misses ${said(base - count)}`}];
}

/**
 * How many of the flagged are positive: one number with its interval, or the interval alone if that is wide.
 * @param {number} share @param {{low: number, high: number}} limits @param {number} level @returns {Said}
 */
function flaggedParts(share, limits, level) {
  let {base} = soMany(share);
  const whole = (/** @type {number} */ x) => Number(fixed(x * base, 0));
  while (
    share > 0 &&
    share < 1 &&
    limits.low < limits.high &&
    base < LARGEST_BASE &&
    whole(limits.low) === whole(limits.high)
  )
    base *= 10;
  const count = whole(share);
  const head = {text: `. Of ${said(base)} flagged ${UNIT}, `};
  const are = count === 1 ? 'is' : 'are';
  const sure = share === 0 || share === 1;
  const interval = `${levelText(level)} interval`;
  if (Number.isNaN(limits.low))
    return sure ? [] : [head, {text: `about ${said(count)} ${are} ${POSITIVE}`, look: 'alarms'}];
  const [low, high] = [limits.low, limits.high].map(each => said(whole(each)));
  if (sure || limits.high - limits.low > WIDE)
    return [head, {text: `between ${low} and ${high} are ${POSITIVE}`, look: 'alarms'}, {text: ` (${interval})`}];
  return [
    head,
    {text: `${said(count)} ${are} ${POSITIVE}`, look: 'alarms'},
    {text: ` (${interval} ${low} to ${high})`},
  ];
}

/** The prevalence of use is asked for. @param {Counts} counts @returns {Said} */
function askingParts(counts) {
  const {count, base} = soMany(counts.fp / counts.negatives);
  const flagged = `How many of the flagged are ${POSITIVE}`;
  const depends = `${flagged} depends on the prevalence where it is used: set it.`;
  return [{text: `; of ${said(base)} others, it flags ${said(count)}. `}, {text: depends, look: 'asks'}];
}

/**
 * What a classifier does to the positives, and how many of those it flags are positive.
 * @param {Counts} counts @param {Counts} there the same at the chosen prevalence
 * @param {{low: number, high: number}} limits of the precision there @param {number} level
 * @param {boolean} asks whether the prevalence of use is not known @returns {Said}
 */
export function answerParts(counts, there, limits, level, asks) {
  const whom = `${POSITIVE} ${UNIT}`;
  if (!counts.positives) return [{text: `There are no ${whom} in these data: nothing can be said about finding them.`}];
  if (!counts.labelled_positive) return [{text: `It flags none of the ${UNIT}: all ${whom} are missed.`}];
  const found = findingParts(counts, whom);
  if (!counts.negatives) return [...found, {text: '.'}];
  if (asks) return [...found, ...askingParts(counts)];
  return [...found, ...flaggedParts(there.tp / there.labelled_positive, limits, level), {text: '.'}];
}

/** @param {Said} parts */
export const answerText = parts => parts.map(each => each.text).join('');
