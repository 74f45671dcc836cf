// The bar that stays in sight: model, threshold, prevalence, and what follows at a glance.

import {CLASSES} from './classes.js';
import {clamped} from './chart.js';
import {button, html, select, setAttributes, setData, setText} from './elements.js';
import {METRIC} from './formulas.js';
import {atPrevalence, MODELS} from './models.js';
import {prevalenceAt, shareOfScale} from './prevalence_scale.js';
import {change, chooseModel, chosenCounts, chosenModel, state, watch} from './state.js';
import {peopleText, percentText, thresholdText} from './text.js';

const STEPS = 1000;
/** @type {[string, number][]} */
const QUICK = [
  ['0.1%', 0.001],
  ['1%', 0.01],
  ['2%', 0.02],
  ['10%', 0.1],
];

/**
 * @param {string} id @param {string} words @param {string} meaning @param {number} most
 * @param {(place: number) => void} run
 */
function slider(id, words, meaning, most, run) {
  const input = html('input', {type: 'range', id, min: 0, max: most, step: 1});
  const output = html('output', {for: id, id: `${id}-text`});
  input.addEventListener('input', () => run(Number(input.value)));
  const label = html('label', {for: id}, words, html('span', {class: 'meaning'}, meaning));
  return {input, output, box: html('div', {class: 'slider'}, label, input, output)};
}

function thresholdSlider() {
  const most = MODELS[0].thresholds.length - 1;
  const {input, output, box} = slider('threshold-slider', 'Threshold', 'positive from here on', most, stop =>
    change({stop}),
  );
  watch(() => {
    const {thresholds} = chosenModel();
    const value = thresholds[state.stop];
    const rates = ['sensitivity', 'specificity'].map(name => `${name} ${percentText(METRIC[name](chosenCounts()))}`);
    input.max = String(thresholds.length - 1);
    input.value = String(state.stop);
    setText(output, thresholdText(value));
    setData(output, {value});
    input.setAttribute('aria-valuetext', `${thresholdText(value)}: ${rates.join(', ')}`);
  });
  return box;
}

function prevalenceSlider() {
  const {input, output, box} = slider('prevalence-slider', 'Prevalence', 'share of positives', STEPS, place =>
    change({prevalence: prevalenceAt(place / STEPS)}),
  );
  box.append(html('span', {class: 'typed'}, typedPrevalence(), '%'), prevalenceChips());
  watch(() => {
    input.value = String(Math.round(STEPS * clamped(shareOfScale(state.prevalence), 0, 1)));
    input.setAttribute('aria-valuetext', percentText(state.prevalence));
    setText(output, percentText(state.prevalence));
    setData(output, {value: state.prevalence});
  });
  return box;
}

function typedPrevalence() {
  const limits = {min: 0.000001, max: 99.9999, step: 'any'};
  const label = {'aria-label': 'Prevalence in percent'};
  const input = html('input', {type: 'number', id: 'prevalence-typed', ...limits, ...label});
  input.addEventListener('change', () => {
    const prevalence = Number(input.value) / 100;
    if (prevalence > 0 && prevalence < 1) change({prevalence});
  });
  watch(() => {
    if (document.activeElement !== input) input.value = String(Number((100 * state.prevalence).toPrecision(4)));
  });
  return input;
}

function prevalenceChips() {
  const quick = QUICK.map(([words, prevalence]) =>
    button({class: 'chip', 'data-prevalence': prevalence}, words, () => change({prevalence})),
  );
  const own = button({class: 'chip', id: 'prevalence-own'}, 'as in these data', () =>
    change({prevalence: chosenModel().prevalence}),
  );
  watch(() => {
    quick.forEach((each, i) => setAttributes(each, {'aria-pressed': QUICK[i][1] === state.prevalence}));
    setAttributes(own, {'aria-pressed': chosenModel().prevalence === state.prevalence});
  });
  return html('span', {class: 'chips'}, quick, own);
}

function glance() {
  const words = {
    sensitivity: 'positives found ',
    specificity: 'negatives left alone ',
    precision: 'alarms that are right ',
  };
  const shares = Object.keys(words).map(name => ({name, cell: html('b', {id: `bar-${name}`})}));
  const alarms = html('b', {id: 'bar-alarms'});
  watch(() => {
    const counts = atPrevalence(chosenCounts(), state.prevalence);
    for (const {name, cell} of shares) setText(cell, percentText(METRIC[name](counts)));
    setText(alarms, peopleText(1000 * counts.fp));
  });
  const said = Object.values(words).map((each, i) => html('span', null, each, shares[i].cell));
  return html('p', {class: 'glance'}, said, html('span', null, 'false alarms per 1,000 people ', alarms));
}

function modelChooser() {
  const titles = MODELS.map(each => /** @type {[string, string]} */ ([String(each.index), each.title]));
  return select('Model', titles, '0', value => chooseModel(Number(value)));
}

export function sliders() {
  return html(
    'section',
    {class: 'bar-top', 'aria-label': 'Sliders'},
    MODELS.length > 1 && !CLASSES && modelChooser(),
    MODELS[0].scored && thresholdSlider(),
    prevalenceSlider(),
    glance(),
  );
}
