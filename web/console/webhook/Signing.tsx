import { Anchor, Stack, Tabs, Text } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { refreshSecret } from '../data/webhook.ts'
import { CodeBlock } from '../ui/CodeBlock.tsx'
import { ConfirmButton } from '../ui/Confirm.tsx'
import { Section } from '../ui/Page.tsx'
import go from './verify/go.txt?raw'
import node from './verify/node.txt?raw'
import php from './verify/php.txt?raw'
import python from './verify/python.txt?raw'

const receivers = { 'Node.js': node, Python: python, Go: go, PHP: php }

interface SigningProps {
  spaceId: string
  onSecret: (secret: string) => void
}

/** The secret, and how the receiver tells a genuine request by it. */
export const Signing = ({ spaceId, onSecret }: SigningProps) => {
  const { t } = useTranslation()
  const rotate = async () => onSecret((await refreshSecret(spaceId)).secret)
  return (
    <>
      <Section title={t('webhook.secret')} description={t('webhook.secret.text')}>
        <div>
          <ConfirmButton
            label={t('webhook.secret.rotate')}
            size="sm"
            variant="outline"
            title={t('webhook.secret.rotate.title')}
            text={
              <Stack gap="xs">
                <span>{t('webhook.secret.rotate.body')}</span>
                <span>{t('webhook.secret.rotate.header')}</span>
              </Stack>
            }
            confirmLabel={t('webhook.secret.rotate')}
            onConfirm={rotate}
          />
        </div>
      </Section>
      <Section title={t('webhook.verify')}>
        <Text size="sm">{t('webhook.verify.text')}</Text>
        <Tabs defaultValue="Node.js" keepMounted={false}>
          <Tabs.List aria-label={t('webhook.verify.language')}>
            {Object.keys(receivers).map(language => (
              <Tabs.Tab key={language} value={language}>
                {language}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {Object.entries(receivers).map(([language, code]) => (
            <Tabs.Panel key={language} value={language} pt="sm">
              <CodeBlock label={t('webhook.verify.code', { language })} code={code.trimEnd()} />
            </Tabs.Panel>
          ))}
        </Tabs>
        <Text size="sm" c="dimmed">
          {t('webhook.verify.standard')}{' '}
          <Anchor href="https://www.standardwebhooks.com" target="_blank" rel="noopener" inherit underline="always">
            Standard Webhooks
          </Anchor>
        </Text>
      </Section>
    </>
  )
}
