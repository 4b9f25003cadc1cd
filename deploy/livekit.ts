interface ClusterNode {
  port: number
  tcpPort: number
  udpPort: number
  /** Address and port. */
  redis: string
  secret: string
  eventsUrl: string
}

/** The configuration of one node of a LiveKit cluster on this machine, as docs/operating.md has it for several. */
export const livekitConfig = ({ port, tcpPort, udpPort, redis, secret, eventsUrl }: ClusterNode) => ({
  port,
  bind_addresses: ['127.0.0.1'],
  redis: { address: redis },
  keys: { lectern: secret },
  room: { auto_create: false },
  api: { enable_psrpc_for_get_list_participants: true },
  webhook: { api_key: 'lectern', urls: [eventsUrl] },
  rtc: {
    tcp_port: tcpPort,
    udp_port: udpPort,
    node_ip: '127.0.0.1',
    use_external_ip: false,
    enable_loopback_candidate: true,
  },
  logging: { json: true, level: 'warn' },
})
