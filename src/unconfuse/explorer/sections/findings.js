section('findings', 'What these data say', 'Verdict', () => true, root => {
  const list = h('ul', {class: 'findings'});
  root.append(list);

  const TONE = {useful: 'better', better: 'better', misleading: 'worse', worse: 'worse', 'cannot tell': 'cannot-tell', 'cannot tell at this sample size': 'cannot-tell'};
  // A rule that needs a whole sentence stands behind "Why" only.
  const headed = (rule, verdict) => { const head = rule ? rule.split(':')[0] : ''; return head && head.length <= 45 ? `${head}: ${verdict}` : verdict; };
  const numbersOf = found => Object.entries(found).map(([name, value]) => `${name.replaceAll('_', ' ')} ${numberText(number(value))}`).join(', ');
  const item = (verdict, sentence, rule, found) => h('li', null,
    h('span', {class: `verdict ${TONE[verdict] || ''}`}, capital(headed(rule, verdict))), h('p', null, sentence),
    rule && details('Why', h('p', {class: 'muted'}, `Rule: ${rule}.`), Object.keys(found || {}).length ? h('p', {class: 'muted'}, `Numbers: ${numbersOf(found)}.`) : null));

  const first = {
    compare: () => payload.comparison.findings.map(each => item('comparison', each)),
    classes: () => CLASSES.findings.map(each => item(each.verdict, each.sentence, each.rule, each.numbers)),
    subgroups: () => payload.subgroups.findings.map(each => item(each.verdict, each.sentence, each.rule, each.numbers)),
    resolve: () => [item('resolving power', payload.resolution.paragraph)],
    thresholds: () => payload.card.findings.map(each => item(each.verdict, each.sentence, each.rule, each.numbers)),
  }[payload.kind] || (() => []);
  let shown = -1;
  watch(() => {
    if (shown === state.model) return;
    shown = state.model;
    const own = MODELS.length && !CLASSES ? model().findings.map(each => item(each.verdict, each.sentence, each.rule, each.numbers)) : [];
    const said = payload.kind === 'subgroups' ? h('li', {class: 'heading'}, h('h3', null, 'On everyone together')) : MODELS.length > 1 && !CLASSES ? h('li', {class: 'heading'}, h('h3', null, `On ${model().title} alone`)) : null;
    list.replaceChildren(...first(), ...(said ? [said] : []), ...own);
  });
  if (CLASSES && CLASSES.worst.length) {
    const span = each => `${percentText(number(each.low))} to ${percentText(number(each.high))}`;
    root.append(h('h3', {class: 'after'}, 'The commonest confusions'), h('ol', {class: 'worst', id: 'worst'}, CLASSES.worst.map(each => h('li', null, each.sentence, h('span', {class: 'muted small'}, ` ${levelText(CLASSES.level)} interval ${span(each)}`)))));
  }
});
