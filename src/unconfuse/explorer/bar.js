// Once the sliders are out of sight, a thin bar keeps them at hand: both where there is room, one on a phone.

import {button, html, setText} from './elements.js';
import {METRIC} from './formulas.js';
import {atPrevalence, MODELS} from './models.js';
import {prevalenceAt} from './prevalence_scale.js';
import {followPrevalence, followThreshold, range, STEPS} from './sliders.js';
import {change, chosenCounts, chosenModel, state, watch} from './state.js';
import {percentText, thresholdText} from './text.js';

/** @param {string} kind @param {string} words @param {HTMLInputElement} input @param {() => string} say */
function barSlider(kind, words, input, say) {
  const value = html('b', null);
  watch(() => setText(value, say()));
  return html('span', {class: `one ${kind}`}, html('span', {class: 'name'}, `${words} `, value), input);
}

function barThreshold() {
  const most = MODELS[0].thresholds.length - 1;
  const {input} = range('bar-threshold', '', 'Threshold', most, stop => change({stop}));
  followThreshold(input);
  return barSlider('threshold', 'Threshold', input, () => thresholdText(chosenModel().thresholds[state.stop]));
}

function barPrevalence() {
  const {input} = range('bar-prevalence', '', 'Prevalence', STEPS, place =>
    change({prevalence: prevalenceAt(place / STEPS)}),
  );
  followPrevalence(input);
  return barSlider('prevalence', 'Prevalence', input, () => percentText(state.prevalence));
}

function glance() {
  const names = {sensitivity: 'found', precision: 'flagged right'};
  const parts = Object.entries(names).map(([name, words]) => {
    const cell = html('b', {id: `bar-${name}`});
    watch(() => setText(cell, percentText(METRIC[name](atPrevalence(chosenCounts(), state.prevalence)))));
    return html('span', null, cell, ` ${words}`);
  });
  return html('span', {class: 'glance'}, parts);
}

/** The bar shows itself while `controls` are above the window. @param {HTMLElement} controls */
export function stickyBar(controls) {
  const scored = MODELS[0].scored;
  const bar = html('div', {
    class: 'sticky',
    id: 'sticky',
    hidden: true,
    role: 'region',
    'aria-label': 'Sliders at hand',
  });
  const turn = () => (bar.dataset.shown = bar.dataset.shown === 'threshold' ? 'prevalence' : 'threshold');
  bar.dataset.shown = scored ? 'threshold' : 'prevalence';
  bar.append(
    ...(scored ? [barThreshold()] : []),
    barPrevalence(),
    glance(),
    ...(scored ? [button({class: 'turn', 'aria-label': 'Show the other slider'}, '⇄', turn)] : []),
  );
  new IntersectionObserver(([seen]) => {
    const hidden = controls.offsetParent === null;
    bar.hidden = hidden || seen.isIntersecting || seen.boundingClientRect.top > 0;
  }).observe(controls);
  return bar;
}
