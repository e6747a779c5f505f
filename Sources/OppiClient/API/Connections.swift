// SPDX-License-Identifier: MIT

package import EventLoop
import OppiTransport
package import OppiWire

/// Creates clients of paired servers with their tokens, pins and proxies.
package struct Connections: Sendable {
  let network: Network
  let credentials: CredentialStore
  let tokens: AccessTokenStore
  /// Where a doubt about a server's identity is recorded.
  var servers: ServerStore?
  /// Keeps a record of the replies to the requests of a server.
  var recorder: @Sendable (PairedServer) -> ReplyRecorder? = { _ in nil }
  /// Whether servers are asked although they have refused this device.
  var asksAgain = false

  package var loop: EventLoop { network.loop }

  /// Returns a client with the server's credential; `stored` saves a second read of the credential
  /// store.
  ///
  /// - Throws: If no credential is available; `.otherServer` if another server answered the last
  ///   time, and still does.
  package func client(
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
    if server.isDoubted { _ = try await client.within(ServerCalls.limit).info() }
    return client
  }

  /// Whether there is a token for a device key; none is left after a final refusal, until the home
  /// is paired again.
  package func hasAccessToken(for server: PairedServer) -> Bool { accessToken(for: server) != nil }

  /// Whether the access token of a device key must be replaced now, so that no command has to.
  package func isAccessAging(to server: PairedServer) -> Bool {
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

extension Services {
  package var connections: Connections {
    var connections = Connections(
      network: network,
      credentials: credentials,
      tokens: accessTokens,
      servers: serverStore
    ) {
      ReplyRecorder(
        log: sentReplies,
        server: $0,
        command: command,
        reporter: reporter,
        rememberListed: remember(listed:)
      )
    }
    connections.asksAgain = asksAgain
    return connections
  }

  /// The limit for one answer of a server.
  package var answerLimit: Duration { min(timeout ?? ServerCalls.limit, ServerCalls.limit) }
}

// MARK: - What servers speak

extension Services {
  /// Asks a server what it offers, stores its dialect and version, and returns it with them.
  ///
  /// For a server whose version changed, or which lacks a route of its known dialect.
  ///
  /// - Throws: If the server cannot be queried, or is another one than was paired.
  func redetect(_ server: PairedServer) async throws(OppiError) -> PairedServer {
    let calls = try await connections.client(for: server).within(answerLimit)
    guard let info = try await calls.info() else { return server }
    var dialect = dialect(of: server, by: info)
    if dialect?.hasUnsureGate == true, try await !calls.hasGate() {
      dialect?.requests = .dialogs
    }
    return await remember(dialect, info.version, of: server)
  }

  /// Stores what a server reports of itself, if its version or its offers have changed, and returns
  /// the server with it.
  package func remember(_ info: ServerInfo, of server: PairedServer) async -> PairedServer {
    guard server.dialect == nil || server.version != info.version else { return server }
    return await remember(dialect(of: server, by: info), info.version, of: server)
  }

  private func dialect(of server: PairedServer, by info: ServerInfo) -> Dialect? {
    let device = try? credentials.device(of: server.id)
    return .updated(
      server.dialect,
      by: info,
      credential: device?.deviceID == nil ? .bearer : .deviceKey
    )
  }

  private func remember(
    _ dialect: Dialect?,
    _ version: String?,
    of server: PairedServer
  ) async -> PairedServer {
    var current = server
    (current.dialect, current.version) = (dialect, version)
    guard current != server else { return server }
    // On failure, it is detected again the next time.
    await serverStore.remember(dialect, version: version, of: server.id)
    return current
  }
}
