// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTransport

/// Creates clients of paired servers with their tokens, pins and proxies.
struct Connections: Sendable {
  let network: Network
  private let store: CredentialStore
  private let tokens: AccessTokenStore
  private let servers: ServerStore?
  private let recorder: @Sendable (PairedServer) -> ReplyRecorder?

  /// `recorder` keeps a record of the replies to the requests of a server.
  init(
    network: Network,
    credentials: CredentialStore,
    tokens: AccessTokenStore,
    servers: ServerStore? = nil,
    recorder: @escaping @Sendable (PairedServer) -> ReplyRecorder? = { _ in nil }
  ) {
    self.network = network
    self.servers = servers
    store = credentials
    self.tokens = tokens
    self.recorder = recorder
  }

  var loop: EventLoop { network.loop }

  /// Reads the stored credentials once, for several clients.
  func credentials() -> CredentialStore.Stored { store.stored() }

  /// Returns a client with the server's credential; `stored` saves a second read of the credential
  /// store.
  ///
  /// - Throws: If no credential is available; `.otherServer` if another server answered the last
  ///   time, and still does.
  func client(
    for server: PairedServer,
    with stored: CredentialStore.Stored? = nil
  ) async throws(OppiError) -> IntentAPIClient {
    var client = IntentAPIClient(
      network: network,
      destination: try destination(of: server),
      serverName: server.name,
      access: try await access(to: server, with: stored)
    )
    client.dialect = server.dialect
    client.recorder = recorder(server)
    client.identity = ExpectedIdentity(
      id: server.id,
      isProven: server.isProven == true,
      isDoubted: server.isDoubted
    ) { [servers] isDoubted in
      // Without the record, the next command does not ask first.
      try? await servers?.doubt(isDoubted, server.id)
    }
    if server.isDoubted { _ = try await client.within(Fleet.limit).info() }
    return client
  }

  /// What authorizes requests to a server, by the kind of its credential.
  func access(
    to server: PairedServer,
    with stored: CredentialStore.Stored? = nil
  ) async throws(OppiError) -> any Access {
    switch try await store.credential(for: server, among: stored) {
    case .external(let token): return FixedAccess(token: token)
    case .token(let token):
      return StoredTokenAccess(token, of: server.id, credentials: store, tokens: tokens)
    case .device(let device): return DeviceAccess(device, of: server.id, in: tokens)
    }
  }

  /// Whether there is a token for a device key; none is left after a final refusal, until the home
  /// is paired again.
  func hasAccessToken(for server: PairedServer) -> Bool {
    do {
      return try tokens.token(of: server.id) != nil
    } catch {
      return false
    }
  }

  /// Whether the access token of a device key must be replaced now, so that no command has to.
  func isAccessAging(to server: PairedServer) -> Bool {
    do {
      guard let token = try tokens.token(of: server.id) else { return false }
      return !token.isFresh(at: loop.timestamp(), for: .service)
    } catch {
      return false
    }
  }

  private func destination(
    of server: PairedServer
  ) throws(OppiError) -> Network.Destination {
    let proxy = server.proxy.flatMap(Proxy.init(url:))
    // An invalid proxy URL must not turn into a direct connection.
    guard server.proxy == nil || proxy != nil else {
      throw .transport(.proxyFailed(reason: "invalid URL"), server: server.name)
    }
    return Network.Destination(
      endpoint: server.endpoint,
      pin: server.certificatePin,
      proxy: proxy
    )
  }
}
