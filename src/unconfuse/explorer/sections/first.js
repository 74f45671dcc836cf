// The answer: one sentence, 1,000 cases in a picture, three numbers and the two sliders that move them.

import {answerParts, answerText} from '../answer.js';
import {CLASSES} from '../classes.js';
import {html, setData, setText} from '../elements.js';
import {METRIC} from '../formulas.js';
import {intervalBar} from '../interval_bar.js';
import {byChance, MODELS, thresholdName} from '../models.js';
import {peoplePicture} from '../pictures/people.js';
import {shifted} from '../pictures/shifted.js';
import {payload} from '../payload.js';
import {sliders} from '../sliders.js';
import {asksPrevalence, chosenCounts, chosenModel, chosenThere, state, watch} from '../state.js';
import {capital, percentRange, percentText, thresholdText} from '../text.js';
import {verdictTone} from '../verdicts.js';
import {NEGATIVES, POSITIVE, POSITIVES, UNIT} from '../words.js';
import {boardLeads, leaderboardBlock} from './leaderboard.js';

/** @import {Section} from '../types' */

/** @type {{name: string, words: string, technical: string}[]} */
const THREE = [
  {name: 'sensitivity', words: `${capital(POSITIVES)} found`, technical: 'sensitivity, recall'},
  {name: 'specificity', words: `${capital(NEGATIVES)} not flagged`, technical: 'specificity'},
  {name: 'precision', words: `Flagged ${UNIT} that are ${POSITIVE}`, technical: 'precision, PPV'},
];

/** Characters of a leading sentence that needs smaller letters, and of a name that only its chooser has room for. */
const LONG_LEAD = 150;
const LONG_NAME = 40;

/** The sentence follows both sliders. */
function sentence() {
  const node = html('p', {class: 'say', id: 'answer', 'aria-live': 'polite'});
  watch(() => {
    const model = chosenModel();
    const limits = shifted(model, 'precision', state.stop, state.prevalence);
    const parts = answerParts(chosenCounts(), chosenThere(), limits, model.level, asksPrevalence());
    if (node.textContent === answerText(parts)) return;
    node.replaceChildren(...parts.map(({text, look}) => (look ? html('b', {class: look}, text) : text)));
  });
  return node;
}

/** Whether the labels say anything, as Python judged them at this stop; nothing where it did not. */
function chosenVerdict() {
  const {stops, findings, threshold} = chosenModel();
  if (stops.verdict) return stops.verdict[state.stop];
  const evaluated = !chosenModel().scored || chosenModel().thresholds[state.stop] === threshold;
  return evaluated && findings.length ? findings[0].verdict : '';
}

function verdictLine() {
  const chip = html('span', {class: 'badge', id: 'verdict'});
  const where = html('span', {class: 'muted', id: 'where'});
  watch(() => {
    const verdict = chosenVerdict();
    setText(chip, capital(verdict));
    chip.className = `badge ${verdictTone(verdict)}`;
    chip.hidden = !verdict;
    setText(where, whereText());
  });
  return html('p', {class: 'verdict-line'}, chip, where);
}

/** Which threshold this is, and which population. */
function whereText() {
  const model = chosenModel();
  const who = MODELS.length > 1 && !CLASSES && model.title.length <= LONG_NAME ? `${model.title}, ` : '';
  const value = model.thresholds[state.stop];
  const name = thresholdName(model, state.stop);
  const named = name ? ` (${name})` : '';
  const cut = model.scored ? `at threshold ${thresholdText(value)}${named}, ` : '';
  const own = state.prevalence === model.prevalence ? ', as in these data' : '';
  if (asksPrevalence()) return `${who}${cut}in a study that fixed how many are ${POSITIVE}`;
  return `${who}${cut}where ${percentText(state.prevalence)} are ${POSITIVE}${own}`;
}

/** @param {typeof THREE[number]} one */
function numberRow({name, words, technical}) {
  const value = html('b', {class: 'value', id: `first-${name}`});
  const range = html('span', {class: 'muted range', id: `first-range-${name}`});
  const place = html('div', {class: 'scale'});
  watch(() => {
    const found = shifted(chosenModel(), name, state.stop, state.prevalence);
    const limits = name === 'precision' ? found : {...found, ...ownLimits(name)};
    const text = Number.isNaN(limits.low) ? '' : percentRange(limits.low, limits.high);
    setText(value, percentText(found.value));
    setData(value, {value: found.value, low: limits.low, high: limits.high});
    setText(range, text);
    const baseline = METRIC[name](byChance(chosenThere()));
    const [shown, guessed] = [found.value, baseline].map(percentText);
    const label = [`${words}: ${shown}`, text, `guessing ${guessed}`].filter(Boolean).join(', ');
    place.replaceChildren(intervalBar({...limits, baseline}, {range: [0, 1], label, width: 560}));
  });
  const head = html('span', {class: 'what'}, words, html('span', {class: 'muted technical'}, technical));
  const item = html('li', null, head, value, range, place);
  if (name === 'precision') watch(() => (item.hidden = asksPrevalence()));
  return item;
}

/** Sensitivity and specificity do not change with the prevalence. @param {string} name */
function ownLimits(name) {
  const limits = chosenModel().intervals[name];
  return limits ? {low: limits.low[state.stop], high: limits.high[state.stop]} : {low: NaN, high: NaN};
}

/** All that moves together: of the page's classifiers, or of one class against the rest. */
export function answerBlock() {
  return html(
    'div',
    {class: 'answer'},
    html('div', {class: 'saying'}, sentence(), verdictLine()),
    peoplePicture(),
    html('ul', {class: 'trio'}, THREE.map(numberRow)),
    sliders(),
  );
}

/** What the whole page says, where that is more than one classifier does. */
function leadSentence() {
  const {kind, comparison, subgroups, resolution} = payload;
  if (kind === 'compare') return comparison?.sentence || comparison?.findings[0] || '';
  if (kind === 'subgroups') return subgroups?.sentence || subgroups?.findings[0]?.sentence || '';
  return kind === 'resolve' ? resolution?.paragraph || '' : '';
}

/** @type {Section} */
export const firstSection = {
  id: 'first',
  title: 'The answer',
  short: 'Answer',
  when: () => !CLASSES,
  build: root => {
    const lead = leadSentence();
    if (lead) root.append(html('p', {class: lead.length > LONG_LEAD ? 'lead long' : 'lead', id: 'lead'}, lead));
    root.classList.toggle('led', Boolean(lead));
    if (boardLeads()) root.append(leaderboardBlock());
    if (MODELS.length) root.append(answerBlock());
  },
};
