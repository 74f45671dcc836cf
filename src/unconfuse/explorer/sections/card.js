section('card', 'Which threshold?', 'Which threshold', () => 'card' in payload, root => {
  const card = payload.card, own = MODELS.length === 1 && MODELS[0].scored;
  root.append(h('p', {class: 'how'}, `One row for each reasonable way to choose. Performance is ${card.honest}: what to expect on new cases, and in small print how much better it looked on the data that the threshold was chosen on.` + (own ? ' Press a rule to move the slider there.' : '')));
  const cut = start => { const found = card.rules.find(rule => rule.name.startsWith(start)); return found && Number.isFinite(number(found.threshold)) ? ` (here ${numberText(number(found.threshold))})` : ''; };
  root.append(h('ul', {class: 'advice'}, [
    'You know what the two errors cost: take the threshold of the section on costs.',
    `Both classes matter alike: take Youden J${cut('youden')}.`,
    'You can look at only so many cases: take the queue rate.',
    `You know none of this: take B(r) = 0.5, where labelled and real positives look alike${cut('indistinguishability')}.`].map(each => h('li', null, each))));
  if (payload.kind !== 'thresholds') root.append(...card.findings.map(each => h('p', {class: 'muted'}, each.sentence)));
  const value = (rule, name) => {
    const found = rule.metrics[name];
    if (!found) return '';
    const flattered = number(found.optimism);
    return h('td', {class: 'num', 'data-value': number(found.value)}, numberText(number(found.value)),
      Number.isFinite(flattered) && Math.abs(flattered) >= 0.0005 ? h('span', {class: 'small muted'}, ` ${flattered > 0 ? '+' : '−'}${fixed(Math.abs(flattered), 3)}`) : null);
  };
  const buttons = [];
  const label = rule => {
    if (!own) return h('th', {scope: 'row'}, rule.label, h('span', {class: 'question'}, rule.unreachable || rule.why));
    const stop = nearestStop(MODELS[0], number(rule.threshold));
    const button = h('button', {type: 'button', class: 'rule', 'data-rule': rule.name, on: {click: () => change({model: 0, stop})}}, rule.label);
    buttons.push([button, stop]);
    return h('th', {scope: 'row'}, button, h('span', {class: 'question'}, rule.unreachable || rule.why));
  };
  const rows = card.rules.map(rule => [label(rule), thresholdText(number(rule.threshold)), Number.isFinite(number(rule.threshold)) ? intervalText(number(rule.low), number(rule.high)) : '',
    value(rule, 'sensitivity'), value(rule, 'specificity'), value(rule, 'precision'), value(rule, 'youden_j')]);
  root.append(table(`Threshold card, performance ${card.honest}`, ['Rule', 'Threshold', 'Interval', 'Sensitivity', 'Specificity', 'Precision', 'Youden J'], rows, {class: 'rules'}));
  if (own) watch(() => { for (const [button, stop] of buttons) button.setAttribute('aria-pressed', String(stop === state.stop)); });
});
