// SPDX-License-Identifier: MIT

import EventLoop
import OppiModel
import OppiTransport

/// The connection over which a server reports events to a watcher, across losses.
actor WatchLine {
  private static let limit = Duration.seconds(10)
  /// Longer than two ping intervals of a server, 30 s each: a stream silent for this long is dead.
  static let silenceLimit = Duration.seconds(75)
  /// A connection that the server ended as planned after this time is opened again at once.
  private static let leastLife = Duration.seconds(1)
  /// How often to check whether a server without such a connection speaks another dialect.
  private static let checkInterval = Duration.seconds(2)

  private var server: PairedServer
  private let context: IntentContext
  private var loop: EventLoop { context.loop }
  private var source: (any NewsSource)?

  init(to server: PairedServer, in context: IntentContext) {
    self.server = server
    self.context = context
  }

  /// Whether the open connection reports everything that a query would find.
  var isComplete: Bool { source?.isComplete ?? false }

  /// Keeps a connection open and calls `tell` after events.
  ///
  /// - Throws: `CancellationError`.
  func listen(_ tell: @Sendable () -> Void) async throws {
    var reconnect = Reconnect(patience: nil)
    let begin = loop.now
    var isFirst = true
    // Whether an open connection was lost, and no query was asked for since.
    var isLost = false
    while true {
      let tried = server.dialect
      var hasSource = true
      var openedAt: EventLoop.Instant?
      var isRenewal = false
      do throws(IntentError) {
        // A token that is unavailable now may be available at the next attempt.
        let api = try await context.connections.client(for: server)
        if let source = try await api.openNews(until: loop.now + Self.limit) {
          reconnect.succeeded(at: begin.duration(to: loop.now))
          openedAt = loop.now
          self.source = source
          // What happened meanwhile is not reported again.
          tell()
          if !isFirst { await check(api) }
          isFirst = false
          try await source.receive(tell)
        } else {
          hasSource = false
        }
      } catch {
        // The queries report what is wrong with the server.
        await close()
        isRenewal = error.isPlanned && openedAt.map { $0 + Self.leastLife <= loop.now } ?? false
        if error.isFinalRefusal { try await waitForAccess() }
      }
      try Task.checkCancellation()
      if isRenewal { continue }
      // If the server cannot be reached again at once, a query finds out what is wrong.
      if openedAt == nil, isLost { tell() }
      isLost = openedAt != nil
      if hasSource {
        try await pause(&reconnect, since: begin)
      } else {
        while server.dialect == tried { try await loop.sleep(for: Self.checkInterval) }
      }
    }
  }

  /// Waits until the home is paired again, but not for ever: the server may accept the device again.
  private func waitForAccess() async throws {
    let end = loop.now + ServerWatch.refusedInterval
    while loop.now < end, !context.connections.hasAccessToken(for: server) {
      try await loop.sleep(for: Self.checkInterval)
    }
  }

  private func pause(
    _ reconnect: inout Reconnect,
    since begin: EventLoop.Instant
  ) async throws {
    let spread = Double(loop.random.next() >> 11) / Double(1 << 53)
    let next = reconnect.failed(at: begin.duration(to: loop.now), spread: spread)
    try await loop.sleep(until: begin + (next ?? .zero))
  }

  /// Notices an update of the server, which ends all connections.
  private func check(_ api: IntentAPIClient) async {
    do throws(IntentError) {
      let deadline = loop.now + Self.limit
      guard let info = try await api.info(until: deadline) else { return }
      server = await context.remember(info, of: server)
    } catch {
      return
    }
  }

  private func close() async {
    let last = source
    source = nil
    await last?.close()
  }

  /// Follows the loaded agents of a server, whose dialect a query may have updated.
  func follow(_ loaded: Set<String>, on server: PairedServer) async {
    self.server = server
    await source?.follow(loaded)
  }
}
