section('summaries', 'How good it is, and how sure that is', 'Summaries', () => Boolean(CLASSES), root => {
  const KEY = ['accuracy', 'balanced_accuracy', 'f1_macro', 'mcc', 'cohen_kappa', 'auroc_ovr_macro', 'auroc_hand_till', 'log_loss', 'brier', 'ece_top_label', 'aurc'];
  const all = Object.entries(CLASSES.summaries), declared = name => CLASSES.declared[name] || {label: name, question: '', range: [0, 1]};
  const read = each => ({value: number(each.value), low: number(each.low), high: number(each.high), baseline: number(each.baseline)});
  const rangeOf = (name, found) => {
    const [low, high] = declared(name).range.map(number), most = [1, found.high, found.value, found.baseline].filter(Number.isFinite);
    return [Number.isFinite(low) ? low : Math.min(0, found.value), Number.isFinite(high) ? high : Math.max(...most)];
  };
  const row = ([name, each]) => {
    const found = read(each), {label, question} = declared(name);
    const words = each.undefined ? `${label}: undefined, ${each.undefined}` : `${label} ${numberText(found.value)} ${intervalText(found.low, found.high)}` + (Number.isFinite(found.baseline) ? `, chance ${numberText(found.baseline)}` : '');
    return [h('th', {scope: 'row'}, label, h('span', {class: 'question'}, question)),
      h('td', {class: 'num big', id: `summary-${name}`, 'data-value': found.value}, numberText(found.value)), h('td', {class: 'barcell'}, intervalBar({...found, range: rangeOf(name, found), label: words}), h('span', {class: 'muted'}, intervalText(found.low, found.high)))];
  };
  const full = ([name, each]) => {
    const found = read(each);
    return [declared(name).label, numberText(found.value), intervalText(found.low, found.high), Number.isFinite(found.baseline) ? numberText(found.baseline) : '', h('td', {class: 'small'}, [each.undefined || each.method, each.note].filter(Boolean).join('; '))];
  };
  const key = all.filter(([name]) => KEY.includes(name) || name.startsWith('top_k')).sort(([a], [b]) => (KEY.indexOf(a) + 1 || 99) - (KEY.indexOf(b) + 1 || 99));
  root.append(h('p', {class: 'how'}, 'Each dot is the value, the bar around it the interval that the data allow, and the small upright line what a classifier without any information would reach. Accuracy counts every case alike, so that large classes decide it; balanced accuracy and macro averages count every class alike.'),
    table(`Main summaries with ${levelText(CLASSES.level)} intervals`, ['Summary', 'Value', h('span', null, 'On its scale, with interval')], (key.length ? key : all.slice(0, 12)).map(row), {class: 'headline'}),
    details(`All ${all.length} summaries`, table('All summaries', ['Summary', 'Value', `${levelText(CLASSES.level)} interval`, 'Chance', 'How'], all.map(full))));
});
