section('reject', 'When not to decide', 'Reject option', () => Boolean(CLASSES && CLASSES.risk_coverage), root => {
  const found = CLASSES.risk_coverage, x = numbers(found.coverage), y = numbers(found.risk), low = numbers(found.low), high = numbers(found.high), cut = numbers(found.threshold);
  const top = Math.min(1, Math.max(...y.filter((_, i) => x[i] > 0.02), number(found.overall)) * 1.3 || 0.05);
  const plot = chart({label: `Risk-coverage curve: with everything decided ${percentText(number(found.overall))} are wrong; area ${numberText(number(found.area.value))}`, x: {low: 0, high: 1, label: 'Share of cases decided, the surest first'}, y: {low: 0, high: top, label: 'Share of these that are wrong'}});
  plot.band(x, low, high, 'one');
  plot.line(x, y, 'one');
  plot.hover(v => { const i = Math.max(x.findIndex(each => each >= v), 0); return `deciding ${percentText(x[i])} (from a score of ${thresholdText(cut[i])} on): ${percentText(y[i])} wrong ${intervalText(low[i], high[i])}`; });
  const rows = found.at.map(each => [`at most ${percentText(number(each.risk))}`, h('td', {class: 'num', 'data-risk': number(each.risk), 'data-value': number(each.value)}, percentText(number(each.value))), `${percentText(number(each.low))} to ${percentText(number(each.high))}`, h('td', null, each.cut)]);
  root.append(h('p', {class: 'how'}, 'A classifier may leave cases to somebody else when it is not sure. Deciding only those with the highest scores of the predicted class makes fewer mistakes; the line says how many fewer.'),
    h('div', {class: 'grid'}, figure('Errors among the decided', plot.wrap, 'From the left: only the surest cases are decided; at the right end, all of them. The shade is the interval of each point.'),
      rows.length ? table('How many cases can be decided', ['Errors wanted', 'Share decided', `${levelText(CLASSES.level)} interval`, 'How'], rows) : null));
});
