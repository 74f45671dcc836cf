// The page itself: header, sticky sliders, sections in their order.

const app = document.getElementById('app');
const shown = sections.filter(each => each.when());
const lead = {compare: 'comparison', thresholds: 'card', resolve: 'resolution', subgroups: 'subgroups'}[payload.kind];
if (lead) {
  const at = shown.findIndex(each => each.id === lead);
  if (at > 0) shown.splice(1, 0, ...shown.splice(at, 1));
}

const theme = h('button', {type: 'button', class: 'theme', 'aria-label': 'Switch between light and dark'}, '◐');
theme.addEventListener('click', () => {
  const root = document.documentElement, dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  root.dataset.theme = dark ? 'light' : 'dark';
});

const KIND = {evaluate: 'Evaluation', counts: 'Evaluation from four counts', thresholds: 'Threshold card', compare: 'Comparison of models', resolve: 'Resolving power', subgroups: 'Evaluation by subgroup', classes: 'Evaluation of several classes'};
const compared = payload.comparison && payload.comparison.settings.classes;
const subtitle = CLASSES ? `${countText(CLASSES.n)} cases, ${countText(CLASSES.size + CLASSES.left_out)} classes` : compared ? `${countText(payload.comparison.n)} cases, ${compared.length} classes` : MODELS.length ? `${countText(MODELS[0].n)} cases, ${countText(MODELS[0].positives)} positive (${percentText(MODELS[0].prevalence)})` : '';
const navigation = shown.filter(each => !(CLASSES && ['headline', 'threshold', 'prevalence', 'costs', 'curves'].includes(each.id)));
const named = payload.title || (MODELS.length > 1 && !CLASSES ? MODELS.map(each => each.title).join(MODELS.length === 2 ? ' against ' : ', ') : KIND[payload.kind]);
app.append(h('header', {class: 'top'}, h('div', null, h('p', {class: 'kind'}, KIND[payload.kind]), h('h1', null, named), h('p', {class: 'muted'}, subtitle)), theme),
  h('nav', {'aria-label': 'Sections'}, h('ul', null, navigation.map(each => h('li', null, h('a', {href: `#${each.id}`}, each.short))))));

function sliders() {
  const scored = MODELS[0].scored, bar = h('section', {class: 'bar-top', 'aria-label': 'Sliders'});
  const slider = (id, words, meaning, most, read) => {
    const input = h('input', {type: 'range', id, min: 0, max: most, step: 1}), out = h('output', {for: id, id: `${id}-text`});
    input.addEventListener('input', () => read(Number(input.value)));
    bar.append(h('div', {class: 'slider'}, h('label', {for: id}, words, h('span', {class: 'meaning'}, meaning)), input, out));
    return [input, out];
  };
  if (MODELS.length > 1 && !CLASSES) bar.append(select('Model', MODELS.map(each => [String(each.index), each.title]), '0', value => chooseModel(Number(value))));
  if (scored) {
    const [input, out] = slider('threshold-slider', 'Threshold', 'positive from here on', MODELS[0].thresholds.length - 1, stop => change({stop}));
    watch(() => {
      const each = model(), at = each.thresholds[state.stop], c = each.counts[state.stop];
      input.max = each.thresholds.length - 1;
      input.value = state.stop;
      set(out, thresholdText(at));
      out.dataset.value = at;
      input.setAttribute('aria-valuetext', `${thresholdText(at)}: sensitivity ${percentText(METRIC.sensitivity(c))}, specificity ${percentText(METRIC.specificity(c))}`);
    });
  }
  const steps = 1000, [input, out] = slider('prevalence-slider', 'Prevalence', 'share of positives', steps, at => { change({prevalence: prevalenceAt(at / steps)}); });
  const typed = h('input', {type: 'number', id: 'prevalence-typed', min: 0.000001, max: 99.9999, step: 'any', 'aria-label': 'Prevalence in percent'});
  typed.addEventListener('change', () => { const v = Number(typed.value) / 100; if (v > 0 && v < 1) change({prevalence: v}); });
  const quick = [['0.1%', 0.001], ['1%', 0.01], ['2%', 0.02], ['10%', 0.1]].map(([words, p]) => h('button', {type: 'button', class: 'chip', 'data-prevalence': p, on: {click: () => change({prevalence: p})}}, words));
  const own = h('button', {type: 'button', class: 'chip', id: 'prevalence-own', on: {click: () => change({prevalence: model().prevalence})}}, 'as in these data');
  out.parentElement.append(h('span', {class: 'typed'}, typed, '%'), h('span', {class: 'chips'}, quick, own));
  watch(() => {
    input.value = Math.round(steps * Math.min(Math.max(shareOfScale(state.prevalence), 0), 1));
    input.setAttribute('aria-valuetext', percentText(state.prevalence));
    set(out, percentText(state.prevalence));
    for (const each of quick) each.setAttribute('aria-pressed', String(Number(each.dataset.prevalence) === state.prevalence));
    own.setAttribute('aria-pressed', String(model().prevalence === state.prevalence));
    out.dataset.value = state.prevalence;
    if (document.activeElement !== typed) typed.value = Number((100 * state.prevalence).toPrecision(4));
  });
  const chosen = ['sensitivity', 'specificity', 'precision'], cells = chosen.map(name => h('b', {id: `bar-${name}`}));
  const alarms = h('b', {id: 'bar-alarms'});
  bar.append(h('p', {class: 'glance'}, h('span', null, 'positives found ', cells[0]), h('span', null, 'negatives left alone ', cells[1]), h('span', null, 'alarms that are right ', cells[2]), h('span', null, 'false alarms per 1,000 people ', alarms)));
  watch(() => {
    const c = atPrevalence(model().counts[state.stop], state.prevalence);
    chosen.forEach((name, i) => set(cells[i], percentText(METRIC[name](c))));
    set(alarms, peopleText(1000 * c.fp));
  });
  return bar;
}

const main = h('main', null);
const OF_ONE = CLASSES ? ['headline', 'threshold', 'prevalence', 'costs', 'curves'] : [];
if (MODELS.length && !CLASSES) app.append(sliders());
app.append(main);
for (const each of shown) {
  const root = h('section', {id: each.id, 'aria-labelledby': `${each.id}-title`}, h('h2', {id: `${each.id}-title`}, each.title));
  (OF_ONE.includes(each.id) ? ONE : main).append(root);
  each.build(root);
  if (each.id === 'one' && MODELS.length) { ONE.append(sliders()); main.append(ONE); }
}
app.append(h('footer', null, h('p', {class: 'muted'}, `Made by unconfuse ${payload.version}. This file asks nothing of any network: everything it shows is inside it.`)));

// Paper has no arrows to press: what is folded away is printed too, but for the long list of definitions.
let unfolded = [];
addEventListener('beforeprint', () => { unfolded = [...document.querySelectorAll('main > section:not(#ledger) details:not([open])')]; for (const each of unfolded) each.open = true; });
addEventListener('afterprint', () => { for (const each of unfolded) each.open = false; });
