import { Checkbox, Fieldset, SimpleGrid, Skeleton, Stack } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import type { EventName } from '../../../contract/events.ts'
import { useEventsChoice, useWebhookEvents } from '../data/webhook.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { Section } from '../ui/Page.tsx'
import { eventGroups, eventNames } from './words.ts'

/** Which events are sent; a choice counts at once. */
export const EventsChoice = ({ spaceId }: { spaceId: string }) => {
  const { t } = useTranslation()
  const query = useWebhookEvents(spaceId)
  const { mutate } = useEventsChoice(spaceId)
  const choose = (chosen: EventName[], name: EventName, isChosen: boolean) =>
    mutate(eventNames.filter(other => (other === name ? isChosen : chosen.includes(other))))
  return (
    <Section title={t('webhook.events')} description={t('webhook.events.text')}>
      <Loaded query={query} skeleton={<Skeleton h={150} />}>
        {chosen => (
          <Stack gap="lg">
            {Object.entries(eventGroups).map(([group, names]) => (
              <Fieldset
                key={group}
                variant="unstyled"
                styles={{ root: { padding: 0 }, legend: { padding: 0, fontWeight: 600 } }}
                legend={t(`webhook.events.${group as keyof typeof eventGroups}`)}
              >
                <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing="sm" mt="xs">
                  {names.map(name => (
                    <Checkbox
                      key={name}
                      label={t(`webhook.event.${name}`)}
                      description={t(`webhook.event.${name}.text`)}
                      checked={chosen.includes(name)}
                      onChange={event => choose(chosen, name, event.currentTarget.checked)}
                    />
                  ))}
                </SimpleGrid>
              </Fieldset>
            ))}
          </Stack>
        )}
      </Loaded>
    </Section>
  )
}
