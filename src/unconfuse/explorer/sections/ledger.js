section('ledger', 'One name, several numbers', 'Definitions', () => 'ledger' in payload, root => {
  root.append(h('p', {class: 'how'}, 'Tools give different numbers under one name. These are the definitions that are about, what each gives on these data, and who computes it: look here when a number on this page differs from another tool’s.'));
  for (const each of payload.ledger) {
    const rows = each.entries.map(entry => [entry.definition, numberText(number(entry.value)), h('td', null, entry.tools), h('td', null, entry.why)]);
    root.append(details(each.title, h('p', null, each.advice), table(`${each.title}: every definition`, ['Definition', 'Value', 'Who computes it', 'Why it differs'], rows, {class: 'wide'})));
  }
  const about = Object.entries(METRICS);
  root.append(details('What each metric means', table('Metrics in words', ['Metric', 'Question it answers', 'When it misleads'], about.map(([, each]) => [each.label, h('td', null, each.question), h('td', null, each.misleads)]), {class: 'wide'})));
});
