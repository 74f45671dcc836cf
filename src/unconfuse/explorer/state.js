// What the reader has chosen, and who wants to hear of it.

import {CLASSES, theClasses} from './classes.js';
import {html} from './elements.js';
import {atPrevalence, firstStop, MODELS} from './models.js';
import {payload} from './payload.js';
import {number} from './text.js';

export const state = {
  model: 0,
  stop: 0,
  prevalence: 0.5,
  worth: 1,
  class: CLASSES && CLASSES.full.length ? CLASSES.full[0] : 0,
};

if (MODELS.length) {
  const given = number(payload.prevalence);
  state.stop = firstStop(MODELS[0]);
  state.prevalence = Number.isFinite(given) ? given : MODELS[0].prevalence;
}

/** Where the reader began. */
export const opening = {...state};

export const chosenModel = () => MODELS[state.model];
export const chosenCounts = () => chosenModel().counts[state.stop];

/** The chosen counts where so many are positive as the slider says; no detour where that is as in these data. */
export const chosenThere = () =>
  state.prevalence === chosenModel().prevalence ? chosenCounts() : atPrevalence(chosenCounts(), state.prevalence);

/** Whether the study fixed the prevalence and neither the writer nor the reader of the page has said which is meant. */
export const asksPrevalence = () =>
  chosenModel().design === 'case-control' &&
  state.prevalence === chosenModel().prevalence &&
  state.prevalence !== number(payload.prevalence);

/** @type {(() => void)[]} */
const watchers = [];

/** Run now and after every change. @param {() => void} run */
export function watch(run) {
  watchers.push(run);
  run();
}

/** Run now, and again when what `read` gives has changed. @param {() => unknown} read @param {() => void} run */
export function watchOnly(read, run) {
  let seen = /** @type {unknown} */ (null);
  watch(() => {
    if (seen === read()) return;
    seen = read();
    run();
  });
}

/** @param {Partial<typeof state>} what */
export function change(what) {
  Object.assign(state, what);
  for (const run of watchers) run();
}

/**
 * Scores of two models need not share a scale: each begins at the threshold it was judged at.
 * @param {number} index
 */
export function chooseModel(index) {
  const chosen = MODELS[index];
  opening.stop = firstStop(chosen);
  if (CLASSES) opening.prevalence = chosen.prevalence;
  change({model: index, stop: opening.stop, ...(CLASSES ? {prevalence: chosen.prevalence} : {})});
}

/** The part of a page of several classes that looks into one of them. */
export const ONE_CLASS = html('div', {id: 'one-class'});

/** @param {number} place */
export function chooseClass(place) {
  state.class = place;
  const index = theClasses().full.indexOf(place);
  if (index >= 0) chooseModel(index);
  else change({});
}

/** @param {number} place */
export function goToClass(place) {
  chooseClass(place);
  document.getElementById('one')?.scrollIntoView();
  document.getElementById('class-chooser')?.focus({preventScroll: true});
}
