// Of 1,000 people at the chosen prevalence: who is alarmed, and who is missed.

import {figure, html, setAttributes, setData, setText, svg, table} from '../elements.js';
import {atPrevalence} from '../models.js';
import {chosenCounts, chosenModel, state, watch} from '../state.js';
import {peopleText} from '../text.js';

/** @import {Cell, Counts} from '../types' */

const HOW_THOUSAND =
  'The strip is 1,000 people at the chosen prevalence: blue are positive, orange negative; full colour is alarmed, ' +
  'pale is not. Intervals come from those of sensitivity and specificity.';
/** @type {{cell: Cell, words: string, look: string, rate: string}[]} */
const PEOPLE = [
  {cell: 'tp', words: 'true alarms', look: 'positive full', rate: 'sensitivity'},
  {cell: 'fp', words: 'false alarms', look: 'negative full', rate: 'false_positive_rate'},
  {cell: 'fn', words: 'missed', look: 'positive faint', rate: 'false_negative_rate'},
  {cell: 'tn', words: 'rightly left alone', look: 'negative faint', rate: 'specificity'},
];
const STRIP_WIDTH = 420;

const chosenShares = () => atPrevalence(chosenCounts(), state.prevalence);

/** @param {Counts} shares */
function thousandText({tp, fp, fn}) {
  const [positives, alarmed, wrongly, missed] = [state.prevalence, tp + fp, fp, fn].map(each =>
    peopleText(1000 * each),
  );
  const alarms = `${alarmed} are alarmed, ${wrongly} of them for nothing; ${missed} positives are missed`;
  return `Of 1,000 people, ${positives} are positive. ${alarms}.`;
}

function strip() {
  const parts = PEOPLE.map(({cell, look}) => ({cell, rect: svg('rect', {class: look, y: 0, height: 30})}));
  const node = svg(
    'svg',
    {viewBox: `0 0 ${STRIP_WIDTH} 30`, role: 'img', class: 'chart strip', 'aria-label': 'Of 1,000 people'},
    parts.map(each => each.rect),
  );
  watch(() => {
    const shares = chosenShares();
    let from = 0;
    for (const {cell, rect} of parts) {
      const width = Math.max(shares[cell] * STRIP_WIDTH - 0.8, 0);
      setAttributes(rect, {x: (from * STRIP_WIDTH).toFixed(2), width: width.toFixed(2)});
      from += shares[cell];
    }
    node.setAttribute('aria-label', thousandText(shares));
  });
  return node;
}

/** @param {Cell} cell @param {string} rate */
function peopleRange(cell, rate) {
  const limits = chosenModel().intervals[rate];
  if (!limits || Number.isNaN(limits.low[state.stop])) return '';
  const people = 1000 * (cell === 'tp' || cell === 'fn' ? state.prevalence : 1 - state.prevalence);
  return `${peopleText(people * limits.low[state.stop])} to ${peopleText(people * limits.high[state.stop])}`;
}

/** @param {typeof PEOPLE[number]} part */
function peopleRow({cell, words, look, rate}) {
  const expected = html('td', {class: 'num big', id: `thousand-${cell}`});
  const interval = html('td', {class: 'num muted'});
  watch(() => {
    const value = 1000 * chosenShares()[cell];
    setText(expected, peopleText(value));
    setData(expected, {value});
    setText(interval, peopleRange(cell, rate));
  });
  return [html('th', {scope: 'row'}, html('span', {class: `key ${look}`}), words), expected, interval];
}

export function thousandPicture() {
  const rows = PEOPLE.map(peopleRow);
  const body = table('Of 1,000 people tested', ['', 'Expected', 'Interval'], rows, {class: 'small'});
  const words = html('p', {class: 'said', id: 'thousand-words'});
  watch(() => setText(words, thousandText(chosenShares())));
  return figure('Of 1,000 people', html('div', {class: 'plot'}, strip(), body), HOW_THOUSAND, words);
}
