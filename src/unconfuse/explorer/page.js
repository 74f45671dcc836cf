// The page itself: header, the answer, what everyone asks, and folded what statisticians ask.

import {stickyBar} from './bar.js';
import {CLASSES} from './classes.js';
import {button, html} from './elements.js';
import {afterFirstPaint} from './first_paint.js';
import {goToPlace, keepChoices} from './fragment.js';
import {MODELS} from './models.js';
import {payload} from './payload.js';
import {shareMenu} from './share.js';
import {ONE_CLASS, state, watchOnly} from './state.js';
import {countText, number, percentText} from './text.js';
import {themeButton} from './theme.js';
import {POSITIVE, POSITIVE_LABEL, UNIT} from './words.js';

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
/**
 * The section that a page is about comes right after the answer, unfolded.
 * @type {Record<string, string | undefined>}
 */
const LEADS = {compare: 'comparison', thresholds: 'card', resolve: 'resolution', subgroups: 'subgroups'};
/** On a page of several classes, these look into one of them. */
const OF_ONE_CLASS = CLASSES ? ['threshold', 'prevalence'] : [];
const FOLDS_OF_ONE_CLASS = CLASSES ? ['headline', 'decisions', 'curves', 'calibration', 'alike', 'elsewhere'] : [];
/** Models that a title names; of more it says how many. */
const MOST_NAMED = 3;
const MONTHS = 'January February March April May June July August September October November December'.split(' ');
/** Paper has no arrows to press: what is unfolded is printed whole, but for the long list of definitions. */
const FOLDED = '#statistician > details[open]:not(#ledger) details';
/** What the second sheet shows besides the findings; of resolving power, its pictures come first. */
const SECOND_SHEET = {
  classes: '#summaries, #data',
  resolve: '#data',
  others: '#headline, #curves, #calibration, #data',
};

function sizes() {
  if (CLASSES) return `${countText(CLASSES.n)} ${UNIT}, ${countText(CLASSES.size + CLASSES.left_out)} classes`;
  const compared = payload.comparison;
  const classes = compared?.settings.classes;
  if (compared && classes) return `${countText(number(compared.n))} ${UNIT}, ${classes.length} classes`;
  if (!MODELS.length) return '';
  const {n, positives, prevalence} = MODELS[0];
  return `${countText(n)} ${UNIT}, ${countText(positives)} ${POSITIVE} (${percentText(prevalence)})`;
}

/** What a positive is, unless its own word says so already. */
function meaning() {
  if (CLASSES || !MODELS.length) return '';
  if (POSITIVE_LABEL) return `positive means “${POSITIVE_LABEL}”`;
  return POSITIVE === 'positive' ? '' : `positive means ${POSITIVE}`;
}

/** A day as people write it; anything else as it was given. Browsers take 20 ms to load their own words for it. */
function dayText() {
  const [year, month, day] = (payload.date || '').split('-').map(Number);
  return MONTHS[month - 1] && day ? `${day} ${MONTHS[month - 1]} ${year}` : payload.date || '';
}

const source = () => (CLASSES ? CLASSES.source : MODELS[0]?.source) || '';

function title() {
  if (payload.title) return payload.title;
  const compared = (payload.comparison?.models.length || 0) + (payload.comparison?.left_out || 0);
  if (compared > MOST_NAMED) return `${compared} models compared`;
  if (MODELS.length <= 1 || CLASSES) return KINDS[payload.kind];
  return MODELS.map(each => each.title).join(MODELS.length === 2 ? ' vs ' : ', ');
}

function header() {
  const about = [sizes(), meaning(), source() && `from ${source()}`, dayText()].filter(Boolean);
  const words = html(
    'div',
    null,
    html('h1', {title: KINDS[payload.kind]}, title()),
    html('p', {class: 'muted', id: 'about'}, about.join(' · ')),
  );
  return html('header', {class: 'top'}, words, html('div', {class: 'tools'}, shareMenu(), themeButton()));
}

/** @param {Section[]} shown */
function navigation(shown) {
  const named = shown.filter(each => each.id !== 'first' && !OF_ONE_CLASS.includes(each.id));
  const links = named.map(({id, short}) => html('li', null, html('a', {href: `#${id}`}, short)));
  const last = html('li', null, html('a', {href: '#statistician'}, 'For the statistician'));
  return html(
    'nav',
    {'aria-label': 'Sections'},
    html('span', {class: 'muted'}, 'Below: '),
    html('ul', null, links, last),
  );
}

function footer() {
  const words = 'This file asks nothing of any network: everything it shows is inside it.';
  return html('footer', null, html('p', {class: 'muted'}, `Made by unconfuse ${payload.version}. ${words}`));
}

/** @param {Section} section */
const isFolded = ({id, about}) => Boolean(about) && id !== LEADS[payload.kind];

/** @param {Section[]} shown */
function leadFirst(shown) {
  const at = shown.findIndex(each => each.id === LEADS[payload.kind]);
  if (at > 1) shown.splice(1, 0, ...shown.splice(at, 1));
  return shown;
}

/** @param {HTMLElement} main @param {Section} section */
function drawSection(main, {id, title: words, build}) {
  const head = html('h2', {id: `${id}-title`, class: id === 'first' ? 'hidden-words' : null}, words);
  const root = html('section', {id, 'aria-labelledby': head.id}, head);
  (OF_ONE_CLASS.includes(id) ? ONE_CLASS : main).append(root);
  build(root);
  if (id === 'one' && MODELS.length) main.append(ONE_CLASS);
}

/** @param {HTMLElement} place @param {Section} section */
function drawFold(place, {id, title: words, about, build}) {
  const inside = html('div', {class: 'inside'});
  const head = html('summary', null, html('h3', null, words), html('span', {class: 'muted'}, about || ''));
  const root = html('details', {id, class: 'fold'}, head, inside);
  place.append(root);
  build(inside);
  if (!FOLDS_OF_ONE_CLASS.includes(id)) return;
  watchOnly(
    () => state.class,
    () => (root.hidden = !CLASSES?.full.includes(state.class)),
  );
}

/** @param {HTMLElement} main @param {Section[]} folded */
function drawStatistician(main, folded) {
  const head = html('h2', {id: 'statistician-title'}, 'For the statistician');
  const unfold = button({id: 'unfold'}, 'Unfold all', () => {
    const all = [...place.querySelectorAll('details.fold')].filter(each => each instanceof HTMLDetailsElement);
    const wanted = all.some(each => !each.open);
    for (const each of all) each.open = wanted;
  });
  const place = html(
    'section',
    {id: 'statistician', 'aria-labelledby': head.id},
    html('div', {class: 'head'}, head, unfold),
  );
  main.append(place);
  for (const each of folded) drawFold(place, each);
}

/** @param {string} selector */
const foldedNow = selector =>
  [...document.querySelectorAll(selector)].filter(each => each instanceof HTMLDetailsElement && !each.open);

const secondSheet = () => {
  const kind = CLASSES ? 'classes' : payload.kind === 'resolve' ? 'resolve' : 'others';
  return `#statistician > :is(${SECOND_SHEET[kind]})`;
};

/** What a reader unfolded is printed whole; one who unfolded nothing gets a second sheet with what most ask for. */
function unfoldOnPaper() {
  /** @type {Element[]} */
  let unfolded = [];
  const open = (/** @type {boolean} */ yes) => unfolded.forEach(each => each.toggleAttribute('open', yes));
  addEventListener('beforeprint', () => {
    const untouched = !document.querySelector('#statistician > details[open]');
    document.documentElement.classList.toggle('two-sheets', untouched);
    unfolded = foldedNow(untouched ? secondSheet() : FOLDED);
    open(true);
  });
  addEventListener('afterprint', () => {
    open(false);
    document.documentElement.classList.remove('two-sheets');
  });
}

/** @param {Section[]} sections */
export function drawPage(sections) {
  const app = /** @type {HTMLElement} */ (document.getElementById('app'));
  const known = sections.filter(each => each.when());
  const shown = leadFirst(known.filter(each => !isFolded(each)));
  const main = html('main', {class: LEADS[payload.kind] ? `led-by ${payload.kind}` : null});
  app.append(header(), main);
  drawSection(main, shown[0]);
  main.append(navigation(shown));
  keepChoices();
  afterFirstPaint(() => {
    for (const each of shown.slice(1)) drawSection(main, each);
    drawStatistician(main, known.filter(isFolded));
    const controls = document.getElementById('controls');
    if (controls) app.append(stickyBar(controls));
    app.append(footer());
    unfoldOnPaper();
    goToPlace();
  });
}
