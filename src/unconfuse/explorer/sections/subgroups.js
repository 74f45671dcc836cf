section('subgroups', 'Does it work alike for everyone?', 'Subgroups', () => 'subgroups' in payload, root => {
  const found = payload.subgroups, overall = MODELS[0].estimates, by = found.by.join(' and '), label = name => METRICS[name].label;
  const place = h('div');
  let metric = found.metrics[0];
  root.append(h('p', {class: 'how'}, `The cases divided by ${by}. Each bar is the interval of one subgroup, the dot its value, and the upright line everyone together. Small subgroups have wide bars: a wide bar says that little is known, not that all is well.`));
  if (found.left_out) root.append(h('p', {class: 'muted'}, `${found.left_out} smaller subgroups are not on this page.`));
  if (found.metrics.length > 1) root.append(select('Metric', found.metrics.map(each => [each, label(each)]), metric, value => { metric = value; draw(); }));
  root.append(place);
  const read = each => ({value: number(each.value), low: number(each.low), high: number(each.high)});
  const p = v => Number.isNaN(v) ? '' : v < 0.001 ? '< 0.001' : fixed(v, 3);

  // The picture's ends: those of the metric's own scale where it has them, but no wider than the bars need.
  function rangeOf(rows) {
    const ends = rows.flatMap(each => [each.value, each.low, each.high]).filter(Number.isFinite), low = Math.min(...ends), high = Math.max(...ends);
    return ends.length ? [low, Math.max(high, low + 1e-9)] : [0, 1];
  }
  function values() {
    const all = [...found.groups.map(each => [each.name, each.n, each.positives, each.estimates[metric]]), ['everyone', MODELS[0].n, MODELS[0].positives, overall[metric]]];
    const range = rangeOf(all.map(each => read(each[3]))), baseline = number(overall[metric].value);
    const rows = all.map(([name, n, positives, each]) => {
      const one = read(each), words = each.undefined ? `${name}: undefined, ${each.undefined}` : `${name}: ${label(metric)} ${numberText(one.value)} ${intervalText(one.low, one.high)}`;
      return [name, countText(number(n)), countText(number(positives)), h('td', {class: 'num big', 'data-subgroup': name, 'data-value': one.value}, numberText(one.value)), intervalText(one.low, one.high),
        h('td', {class: 'barcell'}, each.undefined ? h('span', {class: 'muted'}, each.undefined) : intervalBar({...one, baseline, range, label: words}))];
    });
    return table(`${label(metric)} by ${by}, with ${levelText(MODELS[0].level)} intervals; bars run from ${numberText(range[0])} to ${numberText(range[1])}`, ['Subgroup', 'Cases', 'Positives', 'Value', 'Interval', 'Everyone is the upright line'], rows, {class: 'headline forest'});
  }
  function gaps() {
    const own = found.differences.filter(each => each.metric === metric);
    if (!own.length) return null;
    const ratio = own[0].scale === 'ratio', scaled = v => ratio ? Math.log(v) : v, none = 0;
    const lines = own.map(each => ({value: scaled(number(each.difference)), low: scaled(number(each.low)), high: scaled(number(each.high))}));
    const reach = Math.max(...lines.flatMap(each => [each.value, each.low, each.high]).filter(Number.isFinite).map(Math.abs), 0.01) * 1.05;
    const rows = own.map((each, i) => [`${each.first} ${ratio ? '/' : '−'} ${each.second}`, h('td', {class: 'num', 'data-gap': each.first, 'data-value': number(each.difference)}, numberText(number(each.difference))), intervalText(number(each.low), number(each.high)), p(number(each.adjusted_p_value)),
      h('td', {class: 'barcell'}, each.undefined ? h('span', {class: 'muted'}, each.undefined) : intervalBar({...lines[i], baseline: none, range: [-reach, reach], cls: each.verdict.replaceAll(' ', '-'), label: `${each.first} against ${each.second}: ${ratio ? 'ratio' : 'difference'} ${numberText(number(each.difference))} ${intervalText(number(each.low), number(each.high))}, ${each.verdict}`})),
      h('td', null, h('span', {class: `verdict ${each.verdict.replaceAll(' ', '-')}`}, each.verdict))]);
    return table(`${ratio ? 'Ratios' : 'Differences'} of ${label(metric)} from ${found.reference}`, ['Subgroups', ratio ? 'Ratio' : 'Difference', 'Interval', 'Adjusted p', 'The upright line is no difference', 'Verdict'], rows, {class: 'headline forest'});
  }
  function draw() {
    place.replaceChildren(values(), ...[gaps()].filter(Boolean), h('p', {class: 'muted'}, 'p-values are adjusted for all subgroups of a metric (Holm), not for several metrics.'));
  }
  draw();
});
