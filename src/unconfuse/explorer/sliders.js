// Threshold and prevalence: two sliders, above each what follows along its own scale.

import {CLASSES} from './classes.js';
import {clamped} from './chart.js';
import {button, html, select, setAttributes, setData, setText, svg} from './elements.js';
import {METRIC} from './formulas.js';
import {atPrevalence, MODELS, thresholdName} from './models.js';
import {prevalenceAt, shareOfScale} from './prevalence_scale.js';
import {asksPrevalence, change, chooseModel, chosenCounts, chosenModel, state, watch, watchOnly} from './state.js';
import {percentText, thresholdText} from './text.js';
import {POSITIVE} from './words.js';

export const STEPS = 1000;
/** @type {[string, number][]} */
const QUICK = [
  ['0.1%', 0.001],
  ['1%', 0.01],
  ['2%', 0.02],
  ['10%', 0.1],
];
const SPARK = {width: 500, height: 40};

/**
 * @param {string} id @param {string} words @param {string} label @param {number} most
 * @param {(place: number) => void} run
 */
export function range(id, words, label, most, run) {
  const input = html('input', {type: 'range', id, min: 0, max: most, step: 1, 'aria-label': label || null});
  input.addEventListener('input', () => run(Number(input.value)));
  return {input, label: html('label', {for: id}, words)};
}

/** @param {HTMLInputElement} input */
export function followThreshold(input) {
  watch(() => {
    const {thresholds} = chosenModel();
    const rates = ['sensitivity', 'specificity'].map(name => `${name} ${percentText(METRIC[name](chosenCounts()))}`);
    input.max = String(thresholds.length - 1);
    input.value = String(state.stop);
    input.setAttribute('aria-valuetext', `${thresholdText(thresholds[state.stop])}: ${rates.join(', ')}`);
  });
}

/** @param {HTMLInputElement} input */
export function followPrevalence(input) {
  watch(() => {
    input.value = String(Math.round(STEPS * clamped(shareOfScale(state.prevalence), 0, 1)));
    input.setAttribute('aria-valuetext', asksPrevalence() ? 'not set' : percentText(state.prevalence));
  });
}

/** Heights between 0 and 1 as an area along a slider. @param {number[]} heights */
function sparkArea(heights) {
  const {width, height} = SPARK;
  const step = width / Math.max(heights.length - 1, 1);
  const points = heights.map((each, i) => `${(i * step).toFixed(1)},${(height * (1 - (each || 0))).toFixed(1)}`);
  return `M0,${height}L${points.join('L')}L${width},${height}Z`;
}

/**
 * A small picture on the scale of the slider below it: a click there moves the slider.
 * @param {string} label @param {Element[]} shapes @param {(share: number) => void} run
 */
function spark(label, shapes, run) {
  const node = svg(
    'svg',
    {
      viewBox: `0 0 ${SPARK.width} ${SPARK.height}`,
      class: 'spark-line',
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': label,
    },
    shapes,
  );
  const choose = (/** @type {PointerEvent} */ event) => {
    const frame = node.getBoundingClientRect();
    run(clamped((event.clientX - frame.left) / frame.width, 0, 1));
  };
  node.addEventListener('pointerdown', event => {
    node.setPointerCapture(event.pointerId);
    choose(event);
  });
  node.addEventListener('pointermove', event => event.buttons === 1 && choose(event));
  return node;
}

/** Who is found and who is flagged, at every stop. */
function thresholdSpark() {
  const shapes = ['positive', 'negative'].map(look => svg('path', {class: `spark-area ${look}`}));
  watchOnly(
    () => state.model,
    () => {
      const {counts} = chosenModel();
      shapes[0].setAttribute('d', sparkArea(counts.map(each => METRIC.sensitivity(each))));
      shapes[1].setAttribute('d', sparkArea(counts.map(each => METRIC.false_positive_rate(each))));
    },
  );
  return spark('Found, and falsely flagged, at every threshold', shapes, share =>
    change({stop: Math.round(share * (chosenModel().thresholds.length - 1))}),
  );
}

/** How many of the flagged are positive, at every prevalence. */
function prevalenceSpark() {
  const shape = svg('path', {class: 'spark-area right'});
  const shares = Array.from({length: 61}, (_, i) => prevalenceAt(i / 60));
  watchOnly(
    () => `${state.model} ${state.stop}`,
    () => {
      const counts = chosenCounts();
      shape.setAttribute('d', sparkArea(shares.map(each => METRIC.precision(atPrevalence(counts, each)))));
    },
  );
  return spark('How many of the flagged are positive, at every prevalence', [shape], share =>
    change({prevalence: prevalenceAt(share)}),
  );
}

function thresholdSlider() {
  const most = MODELS[0].thresholds.length - 1;
  const {input, label} = range('threshold-slider', 'Threshold', '', most, stop => change({stop}));
  const output = html('output', {for: input.id, id: 'threshold-slider-text'});
  const name = html('span', {class: 'muted named', id: 'threshold-name'});
  followThreshold(input);
  watch(() => {
    const value = chosenModel().thresholds[state.stop];
    setText(output, thresholdText(value));
    setData(output, {value});
    setText(name, thresholdName(chosenModel(), state.stop));
  });
  const key = html(
    'span',
    {class: 'muted key-line'},
    html('span', {class: 'key positive'}),
    'found',
    html('span', {class: 'key negative'}),
    'falsely flagged',
  );
  const head = html('div', {class: 'slider-head'}, label, output, name, key);
  return html('div', {class: 'slider'}, head, thresholdSpark(), input);
}

function prevalenceSlider() {
  const {input, label} = range('prevalence-slider', `How many are ${POSITIVE}`, '', STEPS, place =>
    change({prevalence: prevalenceAt(place / STEPS)}),
  );
  const output = html('output', {for: input.id, id: 'prevalence-slider-text'});
  followPrevalence(input);
  watch(() => {
    setText(output, asksPrevalence() ? '?' : percentText(state.prevalence));
    setData(output, {value: state.prevalence});
  });
  const key = html('span', {class: 'muted key-line'}, html('span', {class: 'key right'}), 'precision (PPV)');
  const head = html('div', {class: 'slider-head'}, label, output, key);
  const more = html('div', {class: 'chips'}, prevalenceChips(), typedPrevalence());
  const node = html('div', {class: 'slider'}, head, prevalenceSpark(), input, more);
  watch(() => node.classList.toggle('asks', asksPrevalence()));
  return node;
}

function typedPrevalence() {
  const limits = {min: 0.000001, max: 99.9999, step: 'any', placeholder: '?'};
  const label = {'aria-label': 'Prevalence in percent'};
  const input = html('input', {type: 'number', id: 'prevalence-typed', ...limits, ...label});
  input.addEventListener('change', () => {
    const prevalence = Number(input.value) / 100;
    if (prevalence > 0 && prevalence < 1) change({prevalence});
  });
  watch(() => {
    if (document.activeElement === input) return;
    input.value = asksPrevalence() ? '' : String(Number((100 * state.prevalence).toPrecision(4)));
  });
  return html('span', {class: 'typed'}, input, '%');
}

function prevalenceChips() {
  const quick = QUICK.map(([words, prevalence]) =>
    button({class: 'chip', 'data-prevalence': prevalence}, words, () => change({prevalence})),
  );
  const words = MODELS[0].design === 'case-control' ? 'not known' : 'as in these data';
  const own = button({class: 'chip', id: 'prevalence-own'}, words, () =>
    change({prevalence: chosenModel().prevalence}),
  );
  watch(() => {
    quick.forEach((each, i) => setAttributes(each, {'aria-pressed': QUICK[i][1] === state.prevalence}));
    setAttributes(own, {'aria-pressed': chosenModel().prevalence === state.prevalence});
  });
  return [...quick, own];
}

function modelChooser() {
  const titles = MODELS.map(each => /** @type {[string, string]} */ ([String(each.index), each.title]));
  const field = select('Model', titles, '0', value => chooseModel(Number(value)));
  const node = /** @type {HTMLSelectElement} */ (field.querySelector('select'));
  node.id = 'model-chooser';
  field.querySelector('label')?.setAttribute('for', node.id);
  watch(() => (node.value = String(state.model)));
  return field;
}

export function sliders() {
  return html(
    'div',
    {class: 'controls', id: 'controls', role: 'group', 'aria-label': 'Sliders'},
    MODELS.length > 1 && !CLASSES && modelChooser(),
    MODELS[0].scored && thresholdSlider(),
    prevalenceSlider(),
  );
}
