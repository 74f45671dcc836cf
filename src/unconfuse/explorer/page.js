// The page itself: header, sticky sliders, sections in their order.

import {CLASSES} from './classes.js';
import {button, html} from './elements.js';
import {MODELS} from './models.js';
import {payload} from './payload.js';
import {sliders} from './sliders.js';
import {ONE_CLASS} from './state.js';
import {countText, number, percentText} from './text.js';

/** @import {Section} from './types' */

const KINDS = {
  evaluate: 'Evaluation',
  counts: 'Evaluation from four counts',
  thresholds: 'Threshold card',
  compare: 'Comparison of models',
  resolve: 'Resolving power',
  subgroups: 'Evaluation by subgroup',
  classes: 'Evaluation of several classes',
};
/** The section that a page is about comes right after the findings. @type {Record<string, string | undefined>} */
const LEADS = {compare: 'comparison', thresholds: 'card', resolve: 'resolution', subgroups: 'subgroups'};
/** On a page of several classes, these look into one of them. */
const OF_ONE_CLASS = CLASSES ? ['headline', 'threshold', 'prevalence', 'costs', 'curves'] : [];
/** Paper has no arrows to press: what is folded away is printed too, but for the long list of definitions. */
const FOLDED = 'main > section:not(#ledger) details:not([open])';

function themeButton() {
  return button({class: 'theme', 'aria-label': 'Switch between light and dark'}, '◐', () => {
    const {dataset} = document.documentElement;
    const isDark = dataset.theme ? dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
    dataset.theme = isDark ? 'light' : 'dark';
  });
}

function subtitle() {
  if (CLASSES) return `${countText(CLASSES.n)} cases, ${countText(CLASSES.size + CLASSES.left_out)} classes`;
  const compared = payload.comparison;
  const classes = compared?.settings.classes;
  if (compared && classes) return `${countText(number(compared.n))} cases, ${classes.length} classes`;
  if (!MODELS.length) return '';
  const {n, positives, prevalence} = MODELS[0];
  return `${countText(n)} cases, ${countText(positives)} positive (${percentText(prevalence)})`;
}

function title() {
  if (payload.title) return payload.title;
  if (MODELS.length <= 1 || CLASSES) return KINDS[payload.kind];
  return MODELS.map(each => each.title).join(MODELS.length === 2 ? ' against ' : ', ');
}

function header() {
  const words = html(
    'div',
    null,
    html('p', {class: 'kind'}, KINDS[payload.kind]),
    html('h1', null, title()),
    html('p', {class: 'muted'}, subtitle()),
  );
  return html('header', {class: 'top'}, words, themeButton());
}

/** @param {Section[]} shown */
function navigation(shown) {
  const named = shown.filter(each => !OF_ONE_CLASS.includes(each.id));
  const links = named.map(({id, short}) => html('li', null, html('a', {href: `#${id}`}, short)));
  return html('nav', {'aria-label': 'Sections'}, html('ul', null, links));
}

function footer() {
  const words = 'This file asks nothing of any network: everything it shows is inside it.';
  return html('footer', null, html('p', {class: 'muted'}, `Made by unconfuse ${payload.version}. ${words}`));
}

/** @param {Section[]} sections */
function inOrder(sections) {
  const shown = sections.filter(each => each.when());
  const at = shown.findIndex(each => each.id === LEADS[payload.kind]);
  if (at > 0) shown.splice(1, 0, ...shown.splice(at, 1));
  return shown;
}

/** @param {HTMLElement} main @param {Section} section */
function drawSection(main, {id, title: words, build}) {
  const head = html('h2', {id: `${id}-title`}, words);
  const root = html('section', {id, 'aria-labelledby': head.id}, head);
  (OF_ONE_CLASS.includes(id) ? ONE_CLASS : main).append(root);
  build(root);
  if (id !== 'one' || !MODELS.length) return;
  ONE_CLASS.append(sliders());
  main.append(ONE_CLASS);
}

function unfoldOnPaper() {
  /** @type {HTMLDetailsElement[]} */
  let unfolded = [];
  const open = (/** @type {boolean} */ yes) => {
    for (const each of unfolded) each.open = yes;
  };
  addEventListener('beforeprint', () => {
    unfolded = [...document.querySelectorAll(FOLDED)].filter(each => each instanceof HTMLDetailsElement);
    open(true);
  });
  addEventListener('afterprint', () => open(false));
}

/** @param {Section[]} sections */
export function drawPage(sections) {
  const app = /** @type {HTMLElement} */ (document.getElementById('app'));
  const shown = inOrder(sections);
  const main = html('main', null);
  app.append(header(), navigation(shown));
  if (MODELS.length && !CLASSES) app.append(sliders());
  app.append(main);
  for (const each of shown) drawSection(main, each);
  app.append(footer());
  unfoldOnPaper();
}
