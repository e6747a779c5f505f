// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiSystem
import OppiTransport

/// Creates clients of paired servers with their tokens, pins and proxies.
struct Connections: Sendable {
  let network: Network
  let credentials: CredentialStore
  let tokens: AccessTokenStore
  /// Where a doubt about a server's identity is recorded.
  var servers: ServerStore?
  /// Keeps a record of the replies to the requests of a server.
  var recorder: @Sendable (PairedServer) -> ReplyRecorder? = { _ in nil }
  /// Whether servers are asked although they have refused this device.
  var asksAgain = false

  var loop: EventLoop { network.loop }

  /// Returns a client with the server's credential; `stored` saves a second read of the credential
  /// store.
  ///
  /// - Throws: If no credential is available; `.otherServer` if another server answered the last
  ///   time, and still does.
  func client(
    for server: PairedServer,
    with stored: CredentialStore.Stored? = nil
  ) async throws(OppiError) -> IntentAPIClient {
    let destination = try destination(of: server)
    let credential = try await credentials.credential(for: server, among: stored)
    var client = IntentAPIClient(
      network: network,
      destination: destination,
      serverName: server.name,
      access: ServerAccess(
        to: server.id,
        by: credential,
        credentials: credentials,
        tokens: tokens,
        asksAgain: asksAgain
      )
    )
    client.dialect = server.dialect
    client.recorder = recorder(server)
    client.identity = ExpectedIdentity(
      id: server.id,
      isProven: server.isProven == true,
      isDoubted: server.isDoubted
    ) { [servers] isDoubted in
      // Without the record, the next command does not ask first.
      await servers?.doubt(isDoubted, server.id)
    }
    if server.isDoubted { _ = try await client.within(Fleet.limit).info() }
    return client
  }

  /// Whether there is a token for a device key; none is left after a final refusal, until the home
  /// is paired again.
  func hasAccessToken(for server: PairedServer) -> Bool { accessToken(for: server) != nil }

  /// Whether the access token of a device key must be replaced now, so that no command has to.
  func isAccessAging(to server: PairedServer) -> Bool {
    accessToken(for: server)?.isFresh(at: loop.timestamp(), for: .service) == false
  }

  /// The error of a server that has refused this device until it is paired again; `nil` if it has
  /// not, as far as is known without asking it.
  func refusal(of server: PairedServer) -> OppiError? {
    credentials.usedDevice(of: server)?.deviceID.flatMap {
      tokens.standing(of: $0, on: server.id).error(server: server.name)
    }
  }

  private func accessToken(for server: PairedServer) -> AccessToken? {
    tokens.usableToken(of: server.id)
  }

  private func destination(of server: PairedServer) throws(OppiError) -> Network.Destination {
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
