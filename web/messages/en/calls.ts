export default {
  'call.live': 'Happening now',
  'call.attendance': 'Attendance',
  'calls.title': 'Past calls',
  'calls.started': 'Started',
  'calls.empty.title': 'No calls yet',
  'calls.empty.text': 'A call begins when the first person enters a room. Who came, and for how long, is kept here.',
}
