section('headline', CLASSES ? 'How well this class is recognised' : 'How good it is, and how sure that is', 'Metrics', () => MODELS.length > 0, root => {
  const KEY = ['auroc', 'average_precision', 'sensitivity', 'specificity', 'precision', 'npv', 'balanced_accuracy', 'f1', 'mcc', 'brier_skill', 'precision_at_indistinguishability'];
  const place = h('div');
  root.append(h('p', {class: 'how'}, 'Each dot is the value, the bar around it the interval that the data allow, and the small upright line what labels without any information would reach. A bar that stays clear of that line is more than chance.'), place);

  const rangeOf = (name, each) => {
    const [low, high] = METRICS[name].range.map(number);
    return [Number.isFinite(low) ? low : Math.min(0, each.low, each.value), Number.isFinite(high) ? high : Math.max(1, each.high, each.value)];
  };
  const read = each => ({value: number(each.value), low: number(each.low), high: number(each.high), baseline: number(each.baseline)});
  const certain = each => each.bound_text ? h('span', {class: 'muted bound'}, `exact value certainly ${each.bound_text}`) : null;
  const row = ([name, each]) => {
    const found = read(each), label = METRICS[name].label;
    const words = each.undefined ? `${label}: undefined, ${each.undefined}` : `${label} ${numberText(found.value)} ${intervalText(found.low, found.high)}` + (Number.isFinite(found.baseline) ? `, chance ${numberText(found.baseline)}` : '');
    return [h('th', {scope: 'row'}, label, h('span', {class: 'question'}, METRICS[name].question)),
      h('td', {class: 'num big', id: `headline-${name}`, 'data-value': found.value}, numberText(found.value)), h('td', {class: 'barcell'}, intervalBar({...found, range: rangeOf(name, found), label: words}), h('span', {class: 'muted'}, intervalText(found.low, found.high)), certain(each))];
  };
  const binned = () => Boolean(model().binned);
  const full = ([name, each]) => {
    const found = read(each);
    return [METRICS[name].label, numberText(found.value), intervalText(found.low, found.high), Number.isFinite(found.baseline) ? numberText(found.baseline) : '', ...(binned() ? [each.bound_text || 'exact'] : []), each.undefined || each.method];
  };
  let shown = -1;
  watch(() => {
    if (shown === state.model) return;
    shown = state.model;
    const each = model(), all = Object.entries(each.estimates), at = Number.isFinite(number(each.threshold)) ? ` Decisions are cut at the threshold ${thresholdText(each.threshold)}.` : '';
    const key = KEY.filter(name => name in each.estimates).map(name => [name, each.estimates[name]]);
    place.replaceChildren(
      table(`Main metrics of ${each.title} with ${levelText(each.level)} intervals.${at}`, ['Metric', 'Value', h('span', null, 'On its scale, with interval')], (key.length ? key : all.slice(0, 12)).map(row), {class: 'headline main'}),
      details(`All ${all.length} metrics`, table(`All metrics of ${each.title}`, ['Metric', 'Value', `${levelText(each.level)} interval`, 'Chance', ...(binned() ? ['Exact value certainly'] : []), 'How'], all.map(full))));
  });
});
