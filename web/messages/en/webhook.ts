export default {
  'webhook.title': 'Webhook',
  'webhook.text': 'Lectern tells your own system when a call starts and ends.',
  'webhook.empty.title': 'No webhook yet',
  'webhook.empty.text': 'Give an address of your system, and it receives a signed request when a call starts or ends.',
  'delivery.title': 'Delivery',
}
