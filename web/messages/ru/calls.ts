export default {
  'call.live': 'Идёт сейчас',
  'call.attendance': 'Посещаемость',
  'calls.title': 'Прошедшие встречи',
  'calls.started': 'Начало',
  'calls.empty.title': 'Встреч ещё не было',
  'calls.empty.text':
    'Встреча начинается, когда в комнату входит первый человек. Здесь останется, кто и как долго на ней был.',
}
