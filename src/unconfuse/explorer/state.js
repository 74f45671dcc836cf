// What the sliders say, and what follows from it.

const payload = JSON.parse(document.getElementById('payload').textContent);
const METRICS = payload.metrics;
const DECISIONS = Object.keys(METRICS).filter(name => METRICS[name].of === 'counts');
const COLOURS = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'];

function counts(tp, fp, fn, tn) {
  const positives = tp + fn, negatives = fp + tn;
  return {tp, fp, fn, tn, positives, negatives, labelled_positive: tp + fp, labelled_negative: fn + tn, total: positives + negatives};
}

// Several classes: the cells of the matrix that hold cases, and what a cell shows. Models are then single classes against the rest.
const CLASSES = payload.classes ? (part => {
  const size = part.names.length, truth = numbers(part.truth), predicted = numbers(part.predicted), counted = new Map(), entries = [];
  let place = 0;
  part.cells.step.forEach((step, p) => { place += step; counted.set(place, part.cells.count[p]); entries.push([Math.floor(place / size), place % size, part.cells.count[p]]); });
  return {...part, size, truth, predicted, entries, count: (i, j) => counted.get(i * size + j) || 0,
    value: (by, i, j, count) => by === 'count' ? count : FORMULA.share(count, by === 'truth' ? truth[i] : predicted[j])};
})(payload.classes) : null;

const MODELS = payload.models.map((model, index) => {
  const stops = model.stops, pairs = found => Object.fromEntries(Object.entries(found).map(([name, [low, high]]) => [name, {low: numbers(low), high: numbers(high)}]));
  const made = {
    ...model, index, colour: CLASSES ? 'one' : COLOURS[index % COLOURS.length], title: model.name || (payload.models.length > 1 ? `model ${index + 1}` : 'the classifier'),
    thresholds: numbers(stops.threshold), tp: numbers(stops.tp), fp: numbers(stops.fp), b: stops.b && numbers(stops.b),
    intervals: pairs(stops.intervals), ratios: pairs(stops.ratios),
    values: Object.fromEntries(Object.entries(stops.values).map(([name, column]) => [name, numbers(column)])),
  };
  made.scored = Number.isFinite(made.thresholds[0]);
  made.counts = made.tp.map((tp, i) => counts(tp, made.fp[i], model.positives - tp, model.negatives - made.fp[i]));
  made.prevalence = model.positives / model.n;
  return made;
});

// A decision metric of a model at a stop: its value, its interval as Python made it, and what chance would give.
function decision(model, name, stop) {
  const c = model.counts[stop], run = METRIC[name], pair = model.intervals[name];
  const value = run ? run(c) : model.values[name][stop];
  return {value, low: pair ? pair.low[stop] : NaN, high: pair ? pair.high[stop] : NaN, chance: run ? run(byChance(c)) : NaN};
}

function byChance(c) {
  const share = c.positives / c.total, rate = c.labelled_positive / c.total, other = 1 - rate;
  return counts(share * rate, (1 - share) * (1 - other), share * (1 - rate), (1 - share) * other);
}

// The same sensitivity and specificity at another prevalence, as shares of all cases.
function atPrevalence(c, prevalence) {
  const positive = prevalence / c.positives, negative = (1 - prevalence) / c.negatives;
  return counts(c.tp * positive, c.fp * negative, c.fn * positive, c.tn * negative);
}

const logit = p => Math.log(p / (1 - p)), expit = v => 1 / (1 + Math.exp(-v));
const ratioOf = (model, name, stop) => {
  const pair = model.ratios[name];
  return {value: METRIC[name](model.counts[stop]), low: pair ? pair.low[stop] : NaN, high: pair ? pair.high[stop] : NaN};
};
// Probability of being positive after a label, with its limits: the odds before times the likelihood ratio.
function probabilityAfter(model, name, stop, prior) {
  const ratio = ratioOf(model, name, stop), after = r => FORMULA.probability_after(prior, r);
  return {value: after(ratio.value), low: after(ratio.low), high: after(ratio.high)};
}

function nearestStop(model, threshold) {
  const at = model.thresholds.findIndex(each => each >= threshold);
  return at < 0 ? model.thresholds.length - 1 : at;
}

const state = {model: 0, stop: 0, prevalence: 0.5, worth: 1, class: CLASSES && CLASSES.full.length ? CLASSES.full[0] : 0};
// Where the slider begins: at the threshold that was evaluated, or where as many are called as the decisions called.
const firstStop = each => !each.scored ? 0 : nearestStop(each, number(each.threshold === null && 'start' in each ? each.start : each.threshold));
if (MODELS.length) {
  state.stop = firstStop(MODELS[0]);
  state.prevalence = Number.isFinite(number(payload.prevalence)) ? payload.prevalence : MODELS[0].prevalence;
}
const model = () => MODELS[state.model];

const watchers = [];
function watch(run) { watchers.push(run); run(); }
function change(what) {
  Object.assign(state, what);
  for (const run of watchers) run();
}
function chooseModel(index) {
  // Scores of two models need not share a scale: each begins at the threshold it was judged at.
  change({model: index, stop: firstStop(MODELS[index]), ...(CLASSES ? {prevalence: MODELS[index].prevalence} : {})});
}

// The part of a page of several classes that looks into one of them.
const ONE = h('div', {id: 'one-class'});
function chooseClass(place, go = false) {
  state.class = place;
  const index = CLASSES.full.indexOf(place);
  if (index >= 0) chooseModel(index); else change({});
  if (go) { document.getElementById('one').scrollIntoView(); document.getElementById('class-chooser').focus({preventScroll: true}); }
}

const sections = [];
const section = (id, title, short, when, build) => sections.push({id, title, short, when, build});
