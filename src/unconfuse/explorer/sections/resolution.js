section('resolution', 'Which metric tells models apart here', 'Resolving power', () => 'resolution' in payload, root => {
  const found = payload.resolution, names = [...new Set(found.rows.map(each => each.metric))], label = name => METRICS[name] ? METRICS[name].label : name.replaceAll('_', ' ');
  root.append(h('p', {class: 'how'}, 'A metric is a good guide if it answers strongly to real improvement (its signal) and wobbles little from sample to sample (its noise). Kappa is the smallest difference in quality that shows on so many cases: short bars are better.'));
  if (payload.kind !== 'resolve') root.append(h('p', {class: 'said'}, found.paragraph));
  for (const at of found.at) {
    const rows = found.rows.filter(each => each.at === at), widest = Math.max(...rows.map(each => number(each.kappa)).filter(Number.isFinite), 1e-9) * 1.05;
    root.append(table(`Resolution at AUROC ${numberText(at)}, ${countText(found.n)} cases, ${countText(found.positives)} positive`, ['Metric', 'Value', 'Sample interval', 'kappa', 'Against AUROC', 'kappa as a bar'], rows.map(each => {
      const kappa = number(each.kappa), delta = number(each.delta), error = number(each.mc_error);
      const bar = s('svg', {viewBox: '0 0 220 22', class: 'bar', role: 'img', 'aria-label': each.undefined || `kappa ${numberText(kappa, 4)}`});
      if (Number.isFinite(kappa)) bar.append(s('rect', {class: 'length', x: 8, y: 5, height: 12, width: 204 * kappa / widest}));
      return [label(each.metric), numberText(number(each.value)), intervalText(number(each.low), number(each.high)), h('td', {class: 'num', 'data-value': kappa}, each.undefined ? '' : numberText(kappa, 4) + (error ? ` ± ${general(error, 1)}` : '')),
        Number.isFinite(delta) ? `${delta >= 0 ? '+' : '−'}${fixed(100 * Math.abs(delta), 1)}%` : '', h('td', {class: 'barcell'}, each.undefined || bar)];
    }), {class: 'headline'}));
  }
  let chosen = names.find(name => name !== found.reference) || names[0];
  const place = h('div');
  const draw = () => {
    const curve = found.curves[chosen], x = numbers(curve.x), y = numbers(curve.y), low = Math.min(...y), high = Math.max(...y);
    const plot = chart({label: `Signal curve of ${label(chosen)}`, x: {low: Math.min(...x), high: Math.max(...x), label: `Quality (${label(found.reference)})`}, y: {low: Math.min(low, 0), high: Math.max(high, low + 1e-9), label: label(chosen)}});
    const row = found.rows.find(each => each.metric === chosen);
    if (row && Number.isFinite(number(row.mapped_low))) {
      const [a, b, from, to] = [row.mapped_low, row.mapped_high, row.low, row.high].map(number);
      plot.marks.append(s('rect', {class: 'mapped', x: plot.X(a), width: plot.X(b) - plot.X(a), y: plot.Y(to), height: Math.max(plot.inner.bottom - plot.Y(to), 0)}), s('rect', {class: 'mapped', x: plot.inner.left, width: plot.X(b) - plot.inner.left, y: plot.Y(Math.max(from, to)), height: Math.abs(plot.Y(from) - plot.Y(to))}));
    }
    plot.line(x, y, 'one');
    plot.hover(v => `a classifier of quality ${numberText(v)} has ${label(chosen)} ${numberText(heightAt(x, y, v))}`);
    place.replaceChildren(plot.wrap, curve.problem ? h('p', {class: 'muted'}, curve.problem) : '');
  };
  draw();
  root.append(h('div', {class: 'grid'}, figure('Signal and noise', place, 'The curve is how the metric rises as the classifier improves. The shaded strip on the left is how far the metric wobbles between samples; carried over by the curve to the axis below it is kappa.',
    select('Metric', names.map(each => [each, label(each)]), chosen, value => { chosen = value; draw(); }))));
});
