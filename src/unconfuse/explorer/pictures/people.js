// 1,000 cases as dots, so many of each of four kinds as the sliders say.

import {inWhole} from '../answer.js';
import {downloads, hasNumbers} from '../downloads.js';
import {html, setData, setText, svg} from '../elements.js';
import {asksPrevalence, chosenModel, chosenThere, state, watch} from '../state.js';
import {grouped, levelText, percentText} from '../text.js';
import {POSITIVE, UNIT} from '../words.js';

/** @import {Cell, Counts} from '../types' */

/** In the order in which they are drawn. @type {{cell: Cell, words: string, look: string, rate: string}[]} */
const KINDS_OF_PEOPLE = [
  {cell: 'tp', words: `${POSITIVE}, found`, look: 'found', rate: 'sensitivity'},
  {cell: 'fn', words: `${POSITIVE}, missed`, look: 'missed', rate: 'false_negative_rate'},
  {cell: 'fp', words: 'falsely flagged', look: 'alarmed', rate: 'false_positive_rate'},
  {cell: 'tn', words: 'rightly not flagged', look: 'alone', rate: 'specificity'},
];
const PEOPLE = 1000;
const PITCH = 10;

/** Dots are lines without length and with round ends: one path for each kind is drawn in a moment. */
const dotsPath = (/** @type {number} */ from, /** @type {number} */ count, /** @type {number} */ columns) => {
  let path = '';
  for (let i = from; i < from + count; i++) {
    path += `M${PITCH * (i % columns) + PITCH / 2},${PITCH * Math.floor(i / columns) + PITCH / 2}h0`;
  }
  return path;
};

/**
 * How sure a number of cases is: the limits of the rate that it comes from, outwards to whole cases.
 * @param {Cell} cell @param {string} rate
 */
function peopleRange(cell, rate) {
  const limits = chosenModel().intervals[rate];
  if (!limits || Number.isNaN(limits.low[state.stop])) return '';
  const people = PEOPLE * (cell === 'tp' || cell === 'fn' ? state.prevalence : 1 - state.prevalence);
  const low = Math.floor(people * limits.low[state.stop] + 1e-9);
  const high = Math.ceil(people * limits.high[state.stop] - 1e-9);
  return `${grouped(String(low))} to ${grouped(String(high))}`;
}

/** @param {typeof KINDS_OF_PEOPLE[number]} kind */
function legendItem({cell, words, look, rate}) {
  const count = html('b', {id: `thousand-${cell}`});
  const range = html('span', {class: 'muted range', id: `thousand-range-${cell}`});
  watch(() => {
    const shares = chosenThere();
    const [whole, value] = [inWhole(shares)[cell], (PEOPLE * shares[cell]) / shares.total];
    setText(count, asksPrevalence() ? '?' : !whole && value > 0 ? '< 1' : grouped(String(whole)));
    setData(count, {value, whole});
    setText(range, asksPrevalence() ? '' : peopleRange(cell, rate));
  });
  return html('li', null, html('span', {class: `dot ${look}`}), count, html('span', {class: 'what'}, words), range);
}

/** @param {Counts} shares */
function thousandText(shares) {
  const whole = inWhole(shares);
  const said = KINDS_OF_PEOPLE.map(({cell, words}) => `${whole[cell]} ${words}`);
  return `Of 1,000 ${UNIT}: ${said.join('; ')}.`;
}

/** What stands for the dots while the study's design leaves the prevalence open. */
const AWAITED = `1,000 ${UNIT} where it is used: they appear once you set the prevalence`;

/** Draws dots in rows of so many. */
function dots() {
  const kinds = KINDS_OF_PEOPLE.map(({cell, look}) => ({cell, look, path: svg('path', {class: `dots ${look}`})}));
  const hollow = svg('path', {class: 'dots hollow'});
  const awaited = svg('path', {class: 'dots awaited'});
  const node = svg('svg', {class: 'people', role: 'img'}, awaited, ...kinds.map(each => each.path), hollow);
  const narrow = matchMedia('(max-width: 640px)');
  const draw = () => {
    const shares = chosenThere();
    const whole = inWhole(shares);
    const columns = narrow.matches ? 50 : 40;
    node.setAttribute('viewBox', `0 0 ${PITCH * columns} ${(PITCH * PEOPLE) / columns}`);
    const asks = asksPrevalence();
    awaited.setAttribute('d', asks ? dotsPath(0, PEOPLE, columns) : '');
    let from = 0;
    for (const {cell, path} of kinds) {
      path.setAttribute('d', asks ? '' : dotsPath(from, whole[cell], columns));
      if (cell === 'fn') hollow.setAttribute('d', dotsPath(asks ? 0 : from, asks ? PEOPLE : whole[cell], columns));
      from += whole[cell];
    }
    node.setAttribute('aria-label', asks ? AWAITED : thousandText(shares));
  };
  narrow.addEventListener('change', draw);
  watch(draw);
  return node;
}

export function peoplePicture() {
  const node = dots();
  const rows = () => {
    const shares = chosenThere();
    if (asksPrevalence()) return [];
    return KINDS_OF_PEOPLE.map(({cell, words, rate}) => [
      words,
      (PEOPLE * shares[cell]) / shares.total,
      peopleRange(cell, rate),
    ]);
  };
  const caption = html('figcaption', {class: 'muted', id: 'thousand-words'});
  const figure = html('figure', {class: 'thousand'});
  watch(() => {
    const own = state.prevalence === chosenModel().prevalence;
    const who = own ? 'like these' : `where ${percentText(state.prevalence)} are ${POSITIVE}`;
    const limits = KINDS_OF_PEOPLE.some(({cell, rate}) => peopleRange(cell, rate));
    const beside = limits ? `, with ${levelText(chosenModel().level)} intervals` : '';
    setText(caption, asksPrevalence() ? AWAITED : `1,000 ${UNIT} ${who}${beside}`);
    figure.classList.toggle('asks', asksPrevalence());
  });
  hasNumbers(node, [`of 1,000 ${UNIT}`, 'expected', 'interval'], rows);
  const legend = html('ul', {class: 'kinds'}, KINDS_OF_PEOPLE.map(legendItem));
  figure.append(
    downloads(`1,000 ${UNIT}`, () => node),
    caption,
    node,
    legend,
  );
  return figure;
}
