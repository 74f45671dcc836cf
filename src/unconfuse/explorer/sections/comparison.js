section('comparison', 'Which model is better, and how sure that is', 'Comparison', () => 'comparison' in payload, root => {
  const found = payload.comparison, pairs = [...new Set(found.differences.map(each => `${found.models.indexOf(each.first)} ${found.models.indexOf(each.second)}`))];
  let pair = pairs[0];
  const names = key => key.split(' ').map(i => found.models[Number(i)]);
  root.append(h('p', {class: 'how'}, 'Both models are judged on the same cases, so that their differences are paired and much surer than two separate numbers. A bar that stays clear of the middle line tells the models apart; on the right, the first one is better.'));
  if (found.left_out) root.append(h('p', {class: 'muted'}, `${found.left_out} further models are not on this page.`));
  const place = h('div');
  if (pairs.length > 1) root.append(select('Pair', pairs.map(key => [key, names(key).join(' against ')]), pair, value => { pair = value; draw(); }));
  root.append(place);

  const short = name => name.length > 14 ? name.slice(0, 13) + '…' : name;
  const p = v => Number.isNaN(v) ? '' : v < 0.001 ? '< 0.001' : fixed(v, 3);
  function draw() {
    const [first, second] = names(pair), rows = found.differences.filter(each => each.first === first && each.second === second);
    const signed = each => each.better === 'lower' ? -1 : 1;
    const ends = rows.flatMap(each => [number(each.low), number(each.high), number(each.difference)]).filter(Number.isFinite).map(Math.abs), reach = Math.max(...ends, 0.01) * 1.08;
    const line = each => {
      const sign = signed(each), value = sign * number(each.difference), [low, high] = [sign * number(each.low), sign * number(each.high)].sort((a, b) => a - b);
      return intervalBar({value, low, high, baseline: 0, range: [-reach, reach], cls: each.verdict.replaceAll(' ', '-'), label: `${each.label}: difference ${numberText(number(each.difference))} ${intervalText(number(each.low), number(each.high))}, ${each.verdict}`});
    };
    const body = rows.map(each => [h('th', {scope: 'row'}, each.label, h('span', {class: 'question'}, each.better === 'lower' ? 'lower is better (turned round in the picture)' : '')), h('td', {class: 'num'}, h('span', {class: `verdict ${each.verdict.replaceAll(' ', '-')}`}, each.verdict)), h('td', {class: 'barcell'}, line(each)),
      h('td', {class: 'num', 'data-value': number(each.difference), 'data-metric': each.metric}, numberText(number(each.difference))), intervalText(number(each.low), number(each.high)), p(number(each.adjusted_p_value)),
      numberText(number(each.first_value)), numberText(number(each.second_value))]);
    place.replaceChildren(h('h3', null, `${first} against ${second}`), table(`Paired differences, ${first} less ${second}`, ['Metric', `${short(first)} is`, h('span', {class: 'nowrap'}, 'worse ← 0 → better'), 'Difference', `${levelText(found.settings.confidence_level)} interval`, 'p-value', short(first), short(second)], body, {class: 'headline forest'}));
  }
  draw();
});
