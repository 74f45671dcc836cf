section('prevalence', 'Move to another population', 'Prevalence', () => MODELS.length > 0, root => {
  root.append(h('p', {class: 'how'}, 'Sensitivity and specificity belong to the classifier; what a label is worth depends on how common positives are where it is used. Drag the prevalence slider at the top: the threshold stays, the population changes.'));
  root.append(h('div', {class: 'grid'}, believedPicture(), thousandPicture()), personPicture(), prevalenceTable());
});

const SHIFTED = ['precision', 'npv', 'accuracy', 'f1', 'mcc', 'lr_positive', 'lr_negative'];
const LABELS = {precision: 'Precision (PPV)', npv: 'Negative predictive value (NPV)', accuracy: 'Accuracy', f1: 'F1 score', mcc: 'Matthews correlation (MCC)',
  lr_positive: 'Positive likelihood ratio (LR+)', lr_negative: 'Negative likelihood ratio (LR-)'};
const LOWEST = Math.min(1e-4, ...MODELS.map(each => each.prevalence / 2)), HIGHEST = 0.99;
const prevalenceAt = share => expit(logit(LOWEST) + share * (logit(HIGHEST) - logit(LOWEST)));
const shareOfScale = p => (logit(p) - logit(LOWEST)) / (logit(HIGHEST) - logit(LOWEST));

// Metrics at the chosen prevalence; intervals where a closed form carries them over.
function shifted(each, name, stop, prevalence) {
  const own = prevalence === each.prevalence;  // no detour: the same digits as in the table above
  const value = METRIC[name](own ? each.counts[stop] : atPrevalence(each.counts[stop], prevalence)), none = {value, low: NaN, high: NaN};
  const known = 'lr_positive' in each.ratios;
  if (!known || Number.isNaN(value)) return none;
  if (name === 'precision') return {...probabilityAfter(each, 'lr_positive', stop, prevalence), value};
  if (name === 'npv') { const wrong = probabilityAfter(each, 'lr_negative', stop, prevalence); return {value, low: 1 - wrong.high, high: 1 - wrong.low}; }
  if (name === 'lr_positive' || name === 'lr_negative') { const pair = each.intervals[name] || each.ratios[name]; return {value, low: pair.low[stop], high: pair.high[stop]}; }
  return none;
}

// Where a positive label is right as often as not; and where the label is worth more than acting on none, or on all.
function breakEvens(each, stop, worth) {
  const positive = ratioOf(each, 'lr_positive', stop), negative = ratioOf(each, 'lr_negative', stop), odds = 1 / worth;
  const from = (r, o) => ({value: FORMULA.break_even(o, r.value), low: FORMULA.break_even(o, r.high), high: FORMULA.break_even(o, r.low)});
  return {even: from(positive, 1), none: from(positive, odds), all: from(negative, odds)};
}

function believedPicture() {
  const grid = Array.from({length: 121}, (_, i) => i / 120), at = grid.map(prevalenceAt);
  const marks = [0.0001, 0.001, 0.01, 0.1, 0.5, 0.9, 0.99].map(p => [shareOfScale(p), percentText(p)]);
  const plot = chart({label: 'How far each label can be believed', x: {low: 0, high: 1, label: 'Prevalence (share of positives), stretched scale', ticks: marks}, y: {low: 0, high: 1, label: 'Probability that the label is right'}});
  const bands = ['precision', 'npv'].map(name => plot.band([], [], [], name)), lines = ['precision', 'npv'].map(name => plot.line([], [], name));
  plot.line([0, 1], [0.5, 0.5], 'baseline');
  const even = plot.upright('even'), cut = plot.upright('cut'), dots = ['precision', 'npv'].map(name => plot.point(name));
  const here = plot.words(0, plot.inner.bottom - 8, '', 'start', 'note');
  plot.hover(v => { const p = prevalenceAt(v), each = model(); return `at ${percentText(p)}: PPV ${percentText(shifted(each, 'precision', state.stop, p).value)}, NPV ${percentText(shifted(each, 'npv', state.stop, p).value)}`; });
  const words = h('p', {class: 'said', id: 'break-even'});
  watch(() => {
    const each = model();
    ['precision', 'npv'].forEach((name, i) => {
      const found = at.map(p => shifted(each, name, state.stop, p));
      lines[i].setAttribute('d', plot.path(grid, found.map(v => v.value)));
      bands[i].setAttribute('d', plot.area(grid, found.map(v => v.low), found.map(v => v.high)));
      dots[i](shareOfScale(state.prevalence), shifted(each, name, state.stop, state.prevalence).value);
    });
    const {even: half} = breakEvens(each, state.stop, state.worth), known = Number.isFinite(half.value), place = known ? Math.min(Math.max(shareOfScale(half.value), 0), 1) : 0;
    even(place);
    cut(shareOfScale(state.prevalence));
    set(here, Number.isNaN(half.value) ? '' : `PPV = 1/2 at ${percentText(half.value)}`);
    here.setAttribute('x', Math.min(plot.X(place) + 6, plot.inner.right - 130));
    set(words, Number.isNaN(half.value) ? 'Nobody is called positive at this threshold.' :
      `Break-even: a positive label is right more often than wrong where more than ${percentText(half.value)}` + (Number.isNaN(half.low) ? '' : ` (${percentText(half.low)} to ${percentText(half.high)})`) + ' of the people are positive.');
    words.dataset.value = half.value;
    plot.describe(`At a prevalence of ${percentText(state.prevalence)}: a positive label is right ${percentText(shifted(each, 'precision', state.stop, state.prevalence).value)}, a negative one ${percentText(shifted(each, 'npv', state.stop, state.prevalence).value)} of the time`);
  });
  return figure('How far a label can be believed', plot.wrap, 'Blue: how likely a positive label is right. Orange: the same for a negative label. The upright line is the chosen prevalence, the dashed one where a positive label is right as often as not.', words);
}

function thousandPicture() {
  const rows = [['tp', 'true alarms', 'positive full', 'sensitivity'], ['fp', 'false alarms', 'negative full', 'false_positive_rate'], ['fn', 'missed', 'positive faint', 'false_negative_rate'], ['tn', 'rightly left alone', 'negative faint', 'specificity']];
  const width = 420, node = s('svg', {viewBox: `0 0 ${width} 30`, role: 'img', class: 'chart strip', 'aria-label': 'Of 1,000 people'});
  const rects = Object.fromEntries(rows.map(([key, , cls]) => { const rect = s('rect', {class: cls, y: 0, height: 30}); node.append(rect); return [key, rect]; }));
  const out = Object.fromEntries(rows.map(([key]) => [key, {value: h('td', {class: 'num big', id: `thousand-${key}`}), interval: h('td', {class: 'num muted'})}]));
  const body = table('Of 1,000 people tested', ['', 'Expected', 'Interval'], rows.map(([key, words, cls]) => [h('th', {scope: 'row'}, h('span', {class: `key ${cls}`}), words), out[key].value, out[key].interval]), {class: 'small'});
  const words = h('p', {class: 'said', id: 'thousand-words'});
  watch(() => {
    const each = model(), c = atPrevalence(each.counts[state.stop], state.prevalence);
    let from = 0;
    for (const [key, , , rate] of rows) {
      const value = 1000 * c[key], scale = 1000 * (key === 'tp' || key === 'fn' ? state.prevalence : 1 - state.prevalence), pair = each.intervals[rate];
      rects[key].setAttribute('x', (from * width).toFixed(2)); rects[key].setAttribute('width', Math.max(c[key] * width - 0.8, 0).toFixed(2));
      from += c[key];
      set(out[key].value, peopleText(value));
      out[key].value.dataset.value = value;
      set(out[key].interval, pair && !Number.isNaN(pair.low[state.stop]) ? `${peopleText(scale * pair.low[state.stop])} to ${peopleText(scale * pair.high[state.stop])}` : '');
    }
    const alarms = 1000 * (c.tp + c.fp), said = `Of 1,000 people, ${peopleText(1000 * state.prevalence)} are positive. ${peopleText(alarms)} are alarmed, ${peopleText(1000 * c.fp)} of them for nothing; ${peopleText(1000 * c.fn)} positives are missed.`;
    set(words, said);
    node.setAttribute('aria-label', said);
  });
  return figure('Of 1,000 people', h('div', {class: 'plot'}, node, body), 'The strip is 1,000 people at the chosen prevalence: blue are positive, orange negative; full colour is alarmed, pale is not. Intervals come from those of sensitivity and specificity.', words);
}

const peopleText = x => Number.isNaN(x) ? 'undefined' : x >= 99.5 ? grouped(fixed(x, 0)) : x >= 9.95 ? fixed(x, 1) : general(x, 2);

function personPicture() {
  const width = 420, node = s('svg', {viewBox: `0 0 ${width} 112`, role: 'img', class: 'chart person', 'aria-label': 'One person'});
  const X = p => 10 + (width - 20) * p;
  node.append(s('line', {class: 'rail', x1: X(0), x2: X(1), y1: 58, y2: 58}), ...[0, 0.25, 0.5, 0.75, 1].map(p => s('text', {x: X(p), y: 106, 'text-anchor': p === 0 ? 'start' : p === 1 ? 'end' : 'middle', class: 'note'}, percentText(p))));
  const mark = (cls, name) => { const span = s('line', {class: `span ${cls}`, y1: 58, y2: 58}), dot = s('circle', {class: `point ${cls}`, r: 7, cy: 58}), text = s('text', {class: 'note strong', 'text-anchor': 'middle'}, name); node.append(span, dot, text); return {span, dot, text}; };
  const parts = {before: mark('prior', 'before'), after_negative: mark('npv', 'after a negative label'), after_positive: mark('precision', 'after a positive label')};
  const words = h('p', {class: 'said', id: 'person-words'});
  watch(() => {
    const each = model(), found = {before: {value: state.prevalence, low: NaN, high: NaN}, after_positive: probabilityAfter(each, 'lr_positive', state.stop, state.prevalence), after_negative: probabilityAfter(each, 'lr_negative', state.stop, state.prevalence)};
    for (const [key, {span, dot, text}] of Object.entries(parts)) {
      const {value, low, high} = found[key], seen = Number.isFinite(value) ? 'visible' : 'hidden';
      for (const part of [dot, text]) part.setAttribute('visibility', seen);
      span.setAttribute('visibility', Number.isNaN(low) ? 'hidden' : 'visible');
      if (!Number.isNaN(low)) { span.setAttribute('x1', X(low)); span.setAttribute('x2', Math.max(X(high), X(low) + 1)); }
      if (Number.isFinite(value)) {
        dot.setAttribute('cx', X(value));
        const half = text.textContent.length * 4.3;
        text.setAttribute('x', Math.min(Math.max(X(value), half), width - half));
        text.setAttribute('y', key === 'before' ? 84 : key === 'after_positive' ? 40 : 18);
      }
    }
    const range = v => Number.isNaN(v.value) ? 'unknown (this label never occurred)' : Number.isNaN(v.low) ? percentText(v.value) : `${percentText(v.value)} (${percentText(v.low)} to ${percentText(v.high)})`;
    const said = `Before the test the probability is ${percentText(state.prevalence)}. A positive label makes it ${range(found.after_positive)}; a negative label makes it ${range(found.after_negative)}.`;
    set(words, said);
    words.dataset.positive = found.after_positive.value; words.dataset.low = found.after_positive.low; words.dataset.high = found.after_positive.high;
    words.dataset.negative = found.after_negative.value;
    node.setAttribute('aria-label', said);
  });
  return figure('One person', h('div', {class: 'plot'}, node), 'The chosen prevalence taken as one person’s own probability before the test (symptoms, age and exposure belong in it): the likelihood ratio multiplies its odds.', words);
}

function prevalenceTable() {
  const cells = Object.fromEntries(SHIFTED.map(name => [name, {value: h('td', {class: 'num', id: `shifted-${name}`}), interval: h('td', {class: 'num muted', id: `shifted-interval-${name}`})}]));
  const net = {value: h('td', {class: 'num', id: 'shifted-net'}), interval: h('td', {class: 'num muted'})};
  const worth = h('input', {type: 'number', id: 'worth', min: 0.01, step: 'any', value: state.worth});
  worth.addEventListener('input', () => { const given = Number(worth.value); if (given > 0 && Number.isFinite(given)) change({worth: given}); });
  const words = h('p', {class: 'said', id: 'worth-words'});
  const rows = SHIFTED.map(name => [LABELS[name], cells[name].value, cells[name].interval]);
  rows.push(['Net benefit per person', net.value, net.interval]);
  watch(() => {
    const each = model();
    for (const name of SHIFTED) {
      const found = shifted(each, name, state.stop, state.prevalence);
      set(cells[name].value, numberText(found.value));
      set(cells[name].interval, intervalText(found.low, found.high));
      Object.assign(cells[name].value.dataset, {value: found.value, low: found.low, high: found.high});
    }
    const c = atPrevalence(each.counts[state.stop], state.prevalence), benefit = FORMULA.net_benefit(c.tp, c.fp, state.worth);
    const all = FORMULA.net_benefit(state.prevalence, 1 - state.prevalence, state.worth);
    set(net.value, numberText(benefit));
    net.value.dataset.value = benefit;
    set(net.interval, `act on all ${numberText(all)}, on none 0`);
    const {none, all: every} = breakEvens(each, state.stop, state.worth), best = benefit >= Math.max(all, 0) - 1e-15 ? 'following the label' : all > 0 ? 'acting on everybody' : 'acting on nobody';
    set(words, Number.isNaN(none.value) || Number.isNaN(every.value) ? `At ${percentText(state.prevalence)}, ${best} is worth most.` : none.value < every.value
      ? `With that worth, the label pays between a prevalence of ${percentText(none.value)} (below it, acting on nobody is better) and ${percentText(every.value)} (above it, acting on everybody is). At ${percentText(state.prevalence)}, ${best} is worth most.`
      : `With that worth, the label pays at no prevalence: acting on all or on none is always as good. At ${percentText(state.prevalence)}, ${best} is worth most.`);
    Object.assign(words.dataset, {none: none.value, all: every.value});
  });
  return h('div', null, h('h3', null, 'Numbers at this prevalence'),
    h('p', {class: 'field'}, h('label', {for: 'worth'}, 'One positive found is worth how many false alarms?'), worth), words,
    table('Metrics at the chosen threshold and prevalence', ['Metric', 'Value', 'Interval'], rows),
    h('p', {class: 'muted'}, 'Likelihood ratios do not change with prevalence. Where the last column is empty, the interval has no closed form: ask unconfuse for it at one prevalence (option --prevalence, or uc.shift_prevalence).'));
}
