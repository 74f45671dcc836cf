// The live page of simulated samples: four sliders, and what chance does to every metric. All numbers are looked up.

import {Chart} from './chart.js';
import {howToRead, html, setAttributes, setData, setText, table} from './elements.js';
import {figure} from './figures.js';
import {intervalBar} from './interval_bar.js';
import {payload} from './payload.js';
import {countText, intervalText, number, numbers, numberText, percentText} from './text.js';
import {themeButton} from './theme.js';

/** @import {SimulatedMetric, Simulation} from './types' */

const told = /** @type {Simulation} */ (/** @type {unknown} */ (payload));
const AXES = {
  area: {label: 'Class separation', values: told.areas, words: areaText},
  prevalence: {label: 'Prevalence', values: told.prevalences, words: percentText},
  size: {label: 'Cases', values: told.sizes, words: countText},
  threshold: {label: 'Threshold', values: told.thresholds, words: String},
};
/** @typedef {keyof typeof AXES} AxisName */
const chosen = {area: 3, prevalence: 2, size: 1, threshold: 4, metric: 'precision'};
/** @type {(() => void)[]} */
const drawings = [];

/** @param {number} area */
function areaText(area) {
  return `${told.separations[told.areas.indexOf(area)]} SD (AUROC ${area})`;
}

/** Where the range of a metric stands in its columns. @param {SimulatedMetric} metric @param {number} size */
function placeOf({cut}, size) {
  const whole = (chosen.area * told.prevalences.length + chosen.prevalence) * told.sizes.length + size;
  return cut ? whole * told.thresholds.length + chosen.threshold : whole;
}

/** @param {string} name @param {number} size */
function found(name, size = chosen.size) {
  const metric = told.entries[name];
  const whole = chosen.area * told.prevalences.length + chosen.prevalence;
  const value = metric.value[metric.cut ? whole * told.thresholds.length + chosen.threshold : whole];
  const place = placeOf(metric, size);
  return {
    value: number(value),
    low: number(metric.low[place]),
    high: number(metric.high[place]),
    undefinedShare: metric.undefined ? number(metric.undefined[place]) : 0,
  };
}

/** @param {AxisName} name */
function slider(name) {
  const {label, values, words} = AXES[name];
  const id = `${name}-slider`;
  const input = html('input', {type: 'range', id, min: 0, max: values.length - 1, step: 1, value: chosen[name]});
  const output = html('output', {for: id, id: `${id}-text`});
  input.addEventListener('input', () => {
    chosen[name] = Number(input.value);
    drawings.forEach(draw => draw());
  });
  drawings.push(() => {
    const text = words(values[chosen[name]]);
    setText(output, text);
    input.setAttribute('aria-valuetext', text);
  });
  const head = html('div', {class: 'slider-head'}, html('label', {for: id}, label), output);
  return html('div', {class: 'slider'}, head, input);
}

function classesPicture() {
  const xs = numbers(told.grid);
  const plot = new Chart(
    'Scores of both classes',
    {low: xs[0], high: xs[xs.length - 1], label: 'Score'},
    {low: 0, high: 0.45, label: 'Density of each class'},
  );
  plot.line(xs, numbers(told.negative_density), 'npv', 'negatives');
  const positives = plot.line(xs, [], 'precision', 'positives');
  const cut = plot.upright('cut');
  drawings.push(() => {
    const heights = numbers(told.positive_densities[chosen.area]);
    positives.setAttribute('d', plot.path(xs, heights));
    plot.drawn.length = 0;
    plot.note('negatives', xs, numbers(told.negative_density));
    plot.note('positives', xs, heights);
    cut(told.thresholds[chosen.threshold]);
  });
  const key = html(
    'p',
    {class: 'muted'},
    html('span', {class: 'key negative'}),
    'negatives  ',
    html('span', {class: 'key positive'}),
    'positives; cases to the right of the upright line are labelled positive',
  );
  return figure('The population', plot.wrap, '', key);
}

function funnelPicture() {
  const place = html('div', {id: 'funnel'});
  const draw = () => {
    const metric = told.entries[chosen.metric];
    const ends = told.sizes.map((_, size) => found(chosen.metric, size));
    const known = ends.flatMap(each => [each.low, each.high, each.value]).filter(Number.isFinite);
    const xs = told.sizes.map((_, size) => size);
    const ticks = told.sizes.map((size, at) => /** @type {[number, string]} */ ([at, countText(size)]));
    const plot = new Chart(
      `${metric.label} in samples of each size`,
      {low: -0.3, high: xs.length - 0.7, label: 'Cases in the sample', ticks},
      {low: Math.min(0, ...known), high: Math.max(1, ...known), label: metric.label},
    );
    plot.band(
      xs,
      ends.map(each => each.low),
      ends.map(each => each.high),
      'one',
      '95 of 100 samples',
    );
    plot.line(
      xs,
      ends.map(each => each.value),
      'one',
      'population',
    );
    plot.upright('even')(chosen.size);
    const words = 'The line is the value in the population; 95 of 100 samples lie in the shade. Choose a metric below.';
    place.replaceChildren(figure(`${metric.label}: more cases, less chance`, plot.wrap, words));
  };
  drawings.push(draw);
  return place;
}

function sentence() {
  const words = html('p', {class: 'said', id: 'said', role: 'status'});
  drawings.push(() => {
    const {value, low, high, undefinedShare} = found(chosen.metric);
    const positives = told.positives[chosen.prevalence][chosen.size];
    const sample = `${countText(told.sizes[chosen.size])} cases, ${countText(positives)} of them positive`;
    const label = told.entries[chosen.metric].label;
    const range = Number.isFinite(low) ? `${numberText(low)} to ${numberText(high)} in 95 of 100 samples` : 'undefined';
    const lost = undefinedShare ? ` It is undefined in ${percentText(undefinedShare)} of the samples.` : '';
    setText(words, `${label} is ${numberText(value)} in the population, and ${range} of ${sample}.${lost}`);
  });
  return words;
}

/** @param {string} name */
function metricRow(name) {
  const {label, question, range} = told.entries[name];
  const value = html('td', {class: 'num big', id: `value-${name}`});
  const bar = html('td', {class: 'barcell', id: `range-${name}`});
  const lost = html('td', {class: 'num', id: `undefined-${name}`});
  const choose = html('input', {type: 'radio', name: 'metric', value: name, id: `choose-${name}`});
  choose.checked = name === chosen.metric;
  choose.addEventListener('change', () => {
    chosen.metric = name;
    drawings.forEach(draw => draw());
  });
  drawings.push(() => {
    const {undefinedShare, ...interval} = found(name);
    const {low, high} = interval;
    const text = intervalText(low, high);
    setText(value, numberText(interval.value));
    setData(value, {value: interval.value});
    setData(bar, {low, high});
    const limits = range.map(number);
    const words = `${label} ${numberText(interval.value)}, in 95 of 100 samples ${text}`;
    const drawn = intervalBar({...interval, baseline: NaN}, {range: limits, label: words});
    bar.replaceChildren(drawn, html('span', {class: 'muted'}, text));
    setText(lost, undefinedShare ? percentText(undefinedShare) : '');
    setAttributes(lost, {'data-value': undefinedShare});
  });
  const head = html('label', {for: choose.id}, label);
  const cell = html('th', {scope: 'row'}, choose, ' ', head, html('span', {class: 'question'}, question));
  return [cell, value, bar, lost];
}

function drawSimulation() {
  const app = /** @type {HTMLElement} */ (document.getElementById('app'));
  const about =
    `Scores of negatives are N(0, 1), those of positives N(d, 1). For every position of the sliders ` +
    `${countText(told.samples)} samples were drawn, each with exactly this share of positives ` +
    `(unconfuse ${told.version}, seed ${told.seed}).`;
  const heads = ['Metric', 'Population', '95 of 100 samples', 'Undefined'];
  const controls = html(
    'div',
    {class: 'controls lesson-controls', id: 'controls', role: 'group', 'aria-label': 'Sliders'},
    Object.keys(AXES).map(name => slider(/** @type {AxisName} */ (name))),
  );
  const rows = Object.keys(told.entries).map(metricRow);
  app.append(
    html(
      'header',
      {class: 'top'},
      html('div', null, html('h1', null, told.title), html('p', {class: 'muted', id: 'about'}, about)),
      html('div', {class: 'tools'}, themeButton()),
    ),
    html(
      'main',
      {class: 'lesson'},
      controls,
      sentence(),
      html('div', {class: 'grid'}, classesPicture(), funnelPicture()),
      howToRead(
        'The dot is the value in the population, the bar what samples of this size give. A wide bar means that one ' +
          'test set says little. AUROC and average precision do not depend on the threshold.',
      ),
      table('Every metric in samples of this size', heads, rows, {class: 'headline main simulated'}),
    ),
  );
  drawings.forEach(draw => draw());
}

drawSimulation();
