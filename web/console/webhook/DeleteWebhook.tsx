import { deleteWebhook } from '../data/webhook.ts'
import { ConfirmSection } from '../ui/ConfirmSection.tsx'

export const DeleteWebhook = ({ spaceId }: { spaceId: string }) => (
  <ConfirmSection texts="webhook.delete" onConfirm={() => deleteWebhook(spaceId)} />
)
