// What the reader has chosen stands in the address, so that a link shows the same.

import {CLASSES, theClasses} from './classes.js';
import {MODELS, nearestStop} from './models.js';
import {change, chooseClass, chooseModel, chosenModel, opening, state, watch} from './state.js';

/** Milliseconds of quiet before the address is written. */
const PAUSE = 250;

/** The choices as text; empty where nothing was chosen yet. */
export function choices() {
  if (!MODELS.length) return '';
  const given = new URLSearchParams();
  if (CLASSES) given.set('class', String(state.class));
  else if (state.model) given.set('model', String(state.model));
  if (chosenModel().scored && state.stop !== opening.stop)
    given.set('threshold', String(chosenModel().thresholds[state.stop]));
  if (state.prevalence !== opening.prevalence) given.set('prevalence', String(Number(state.prevalence.toPrecision(8))));
  if (state.worth !== 1) given.set('worth', String(state.worth));
  const own = given.toString();
  return CLASSES && [...given.keys()].length === 1 && state.class === opening.class ? '' : own;
}

/** @param {string | null} text @param {number} most */
const wholeBelow = (text, most) => {
  const value = Number(text);
  return text !== null && Number.isInteger(value) && value >= 0 && value < most ? value : -1;
};

/** @param {URLSearchParams} given */
function follow(given) {
  const [model, place] = [
    wholeBelow(given.get('model'), MODELS.length),
    CLASSES ? wholeBelow(given.get('class'), theClasses().size) : -1,
  ];
  if (place >= 0) chooseClass(place);
  else if (model >= 0) chooseModel(model);
  const [threshold, prevalence, worth] = ['threshold', 'prevalence', 'worth'].map(name =>
    Number(given.get(name) ?? NaN),
  );
  const wanted = {
    ...(chosenModel().scored && !Number.isNaN(threshold) ? {stop: nearestStop(chosenModel(), threshold)} : {}),
    ...(prevalence > 0 && prevalence < 1 ? {prevalence} : {}),
    ...(worth > 0 && Number.isFinite(worth) ? {worth} : {}),
  };
  change(wanted);
}

/** What stands behind the address; nothing where that is no text. */
function addressed() {
  try {
    return decodeURIComponent(location.hash.slice(1));
  } catch {
    return '';
  }
}

/** A fragment that names a place of the page leads there; a folded place is unfolded. */
export function goToPlace() {
  const place = document.getElementById(addressed());
  if (place instanceof HTMLDetailsElement) place.open = true;
  if (place) place.scrollIntoView();
}

/** A fragment names choices, or a place. */
function read() {
  const text = addressed();
  if (!text.includes('=')) goToPlace();
  else if (MODELS.length && text !== choices()) follow(new URLSearchParams(text));
}

/** A page inside another has no address of its own: then there is nothing to write. */
function write() {
  const text = choices();
  const now = location.hash.slice(1);
  if (text === now || (!text && !now.includes('='))) return;
  try {
    history.replaceState(null, '', text ? `#${text}` : location.pathname + location.search);
  } catch {
    return;
  }
}

export function keepChoices() {
  let waiting = 0;
  read();
  addEventListener('hashchange', read);
  watch(() => {
    clearTimeout(waiting);
    waiting = setTimeout(write, PAUSE);
  });
}
