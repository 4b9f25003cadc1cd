export default {
  'webhook.title': 'Вебхук',
  'webhook.text': 'Lectern сообщает вашей системе о начале и конце встреч.',
  'webhook.empty.title': 'Вебхука ещё нет',
  'webhook.empty.text':
    'Укажите адрес вашей системы, и она будет получать подписанный запрос, когда встреча начинается и заканчивается.',
  'delivery.title': 'Доставка',
}
