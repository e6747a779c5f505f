// SPDX-License-Identifier: MIT

import EventLoop
import OppiIntents
import OppiModel
import OppiRendering
import OppiSystem

/// Where the looks at all servers come together: what is known, what is told of it, and what is
/// pressed.
struct WatchRoom {
  /// Something that has happened.
  enum Event: Sendable {
    case looked(PairedServer, ServerWatch.Look)
    case time
    case desktopFound(any DesktopNotifier)
    case desktop(DesktopEvent)
    /// Something could not be shown.
    case desktopTrouble(DesktopError)
    case desktopLost(DesktopError)
    case decided(WatchDesktop.Offer, PermissionDecision, Result<DecisionOutcome, any Error>)
    /// What waited in the outbox for a server was tried.
    case flushed(PairedServer, [FlushLine])
    /// What was not delivered in time was looked for.
    case expired([FlushLine])
  }

  /// Time goes on for requests that expire and hours that begin.
  static let tick = Duration.seconds(5)
  /// A desktop may come later than this program.
  private static let desktopPause = Duration.seconds(30)

  let rules: WatchRules
  let context: Context
  private let manager: ServiceManager
  var fleet = FleetStatus(at: Timestamp(milliseconds: 0), servers: [])
  /// What waits for approval, by its server and id.
  var requests: [Fingerprint: [String: [PermissionRequest]]] = [:]
  var alerts = AlertDesk()
  var desktop = WatchDesktop()
  /// Where it is not known what came of a decision: what the next look finds waiting is shown again.
  var unsettled: Set<SessionPlace> = []
  private var outbox = WatchOutbox()
  /// What the turns came to that are over, as it was kept last.
  private var turns = EndedTurns()
  /// What was printed of each session last.
  var lastPrinted: [SessionPlace: String] = [:]
  private var line: DesktopLine?
  private var isSeeking = false
  /// Why there is no desktop, as it was told last.
  private var lostBecause: DesktopError?
  private var soughtAt: EventLoop.Instant?
  private var snapshot = WatchSnapshot()
  private var aliveAt: EventLoop.Instant?
  private var isReady = false
  private var troubles: [Fingerprint: String] = [:]
  /// Why the list of paired servers could not be read last.
  private var listTrouble: String?
  private let events: AsyncStream<Event>
  private let post: AsyncStream<Event>.Continuation

  init(_ rules: WatchRules, in context: Context) {
    self.rules = rules
    self.context = context
    manager = ServiceManager(environment: context.environment)
    (events, post) = AsyncStream.makeStream(of: Event.self)
  }

  var loop: EventLoop { context.loop }

  /// Watches all paired servers.
  ///
  /// What was begun for a server goes on when the list of servers changes: only the looks begin anew.
  ///
  /// - Throws: Where the task is cancelled, no server is paired, or the output cannot be written.
  mutating func run() async throws {
    var servers = try context.servers()
    try await withThrowingDiscardingTaskGroup { jobs in
      defer { jobs.cancelAll() }
      jobs.addTask { [loop, post] in
        while true {
          post.yield(.time)
          try await loop.sleep(for: Self.tick)
        }
      }
      while true {
        guard !servers.isEmpty else { throw IntentError.notPaired }
        servers = try await look(at: servers, &jobs)
      }
    }
  }

  /// Watches servers until others are paired, and returns those.
  private mutating func look(
    at servers: [PairedServer],
    _ jobs: inout Jobs
  ) async throws -> [PairedServer] {
    let known = fleet.servers
    turns = context.knownTurns
    fleet.servers = servers.map { server in
      known.first { $0.id == server.id } ?? ServerStatus(id: server.id, name: server.name)
    }
    let present = Set(servers.map(\.id))
    requests = requests.filter { present.contains($0.key) }
    troubles = troubles.filter { present.contains($0.key) }
    return try await withThrowingTaskGroup(of: Void.self) { group in
      defer { group.cancelAll() }
      for server in servers {
        let watch = ServerWatch(
          server,
          connections: context.connections,
          way: rules.way,
          known: turns
        )
        group.addTask { [post] in
          try await watch.run { post.yield(.looked(server, $0)) }
        }
      }
      for await event in events {
        try Task.checkCancellation()
        if case .time = event {
          if let others = try await otherServers(than: servers) { return others }
          if let seeking = seekDesktop() { begin(seeking, in: &jobs) }
        }
        if case .desktopFound(let notifier) = event {
          line = DesktopLine(to: notifier, in: &jobs) { [post] in post.yield($0) }
        }
        for job in try await take(event) { begin(job, in: &jobs) }
      }
      throw CancellationError()
    }
  }

  /// The servers that are paired now, where these are others.
  ///
  /// A list that cannot be read says nothing of the servers: those that are known are watched on.
  private mutating func otherServers(
    than servers: [PairedServer]
  ) async throws -> [PairedServer]? {
    do {
      let present = try context.servers()
      listTrouble = nil
      return present.map(\.asPaired) == servers.map(\.asPaired) ? nil : present
    } catch let error as FileError {
      let message = OppiError(error).message
      if listTrouble != message { await context.console.warn(message) }
      listTrouble = message
      return nil
    }
  }

  typealias Jobs = ThrowingDiscardingTaskGroup<any Error>

  private func begin(_ job: @escaping Job, in jobs: inout Jobs) {
    jobs.addTask { [post] in post.yield(await job()) }
  }

  /// Something that takes its time and is told when it is over.
  typealias Job = @Sendable () async -> Event

  private mutating func take(_ event: Event) async throws -> [Job] {
    var jobs: [Job] = []
    switch event {
    case .looked(let server, let look):
      let isBack = try await take(look, of: server)
      if case .success = look, let job = outbox.job(for: server, isBack: isBack, in: context) {
        jobs.append(job)
      }
    case .time:
      if let job = outbox.expiryJob(in: context) { jobs.append(job) }
    case .expired(let lines):
      for line in outbox.take(expired: lines, isPrivate: rules.isPrivate) {
        try await context.console.print(line.report)
      }
    case .desktop(let event): jobs = try await take(event)
    case .desktopFound:
      (isSeeking, lostBecause) = (false, nil)
      alerts.forgetShown()
    case .desktopTrouble(let error):
      await context.console.warn("a notification could not be shown: \(error)")
    case .desktopLost(let error):
      (line, isSeeking) = (nil, false)
      guard error != .cancelled, error != lostBecause else { break }
      lostBecause = error
      await context.console.warn("no notifications: \(error)")
    case .decided(let offer, let decision, let result):
      try await tell(result, of: offer, decision)
    case .flushed(let server, let lines):
      for line in outbox.take(lines, of: server, isPrivate: rules.isPrivate) {
        try await context.console.print(line.report)
      }
    }
    let now = context.now()
    let isQuiet = rules.quietHours?.contains(minute: LocalTime.minuteOfDay(at: now)) ?? false
    for effect in alerts.look(fleet, at: now, isQuiet: isQuiet) {
      try Task.checkCancellation()
      try await perform(effect, at: now)
    }
    if !isQuiet { for note in outbox.takeNotes() { order(.show(note)) } }
    await snapshot.keep(&fleet, in: context)
    report()
    return jobs
  }

  // MARK: - What servers say

  /// Returns whether the server was not there before.
  private mutating func take(
    _ look: ServerWatch.Look,
    of server: PairedServer
  ) async throws -> Bool {
    guard let index = fleet.servers.firstIndex(where: { $0.id == server.id }) else { return false }
    switch look {
    case .success(let overview):
      let isFirst = requests[server.id] == nil
      fleet.servers[index] = ServerStatus(overview, in: context.turnWords)
      let ended = overview.endedTurns(knowing: turns[server.id])
      if turns[server.id] != ended {
        turns[server.id] = ended
        context.intents.rememberTurns(of: [overview])
      }
      requests[server.id] = Dictionary(grouping: overview.requests, by: \.id)
      for place in unsettled where place.serverID == server.id {
        alerts.forgetShown(of: place)
        unsettled.remove(place)
      }
      guard troubles.removeValue(forKey: server.id) != nil else { return isFirst }
      try await context.console.print(.step(status: StyledText("\(server.name) is back")))
      return true
    case .failure(let error):
      let known = fleet.servers[index]
      fleet.servers[index] = ServerStatus(server, failure: OppiError(error).message, known: known)
      let message = OppiError(error).message
      if troubles.updateValue(message, forKey: server.id) == nil {
        await context.console.warn(message)
      }
      return false
    }
  }

  // MARK: - The service manager

  /// Tells the service manager.
  private mutating func report() {
    if !isReady, fleet.servers.allSatisfy({ $0.contactAt != nil || $0.failure != nil }) {
      isReady = true
      manager.ready()
    }
    guard let interval = manager.watchdogInterval else { return }
    if aliveAt.map({ loop.now >= $0 + min(interval, Self.tick) }) ?? true {
      aliveAt = loop.now
      manager.alive()
    }
  }

  // MARK: - The desktop

  /// Shows something, or takes it away, where there is a desktop.
  func order(_ order: DesktopLine.Order) { line?.order(order) }

  /// Looks for a desktop where none was found; nothing waits for it.
  private mutating func seekDesktop() -> Job? {
    guard !rules.isSilent, line == nil, !isSeeking,
      soughtAt.map({ loop.now >= $0 + Self.desktopPause }) ?? true
    else { return nil }
    (soughtAt, isSeeking) = (loop.now, true)
    return { [context, rules] in
      do throws(DesktopError) {
        let notifier = try await context.desktop.notifier(command: rules.command, on: context.loop)
        return .desktopFound(notifier)
      } catch {
        return .desktopLost(error)
      }
    }
  }

  /// Takes away what nobody would hear the buttons of.
  func leave() async {
    manager.stopping()
    guard let notifier = line?.notifier else { return }
    // The task itself is cancelled by now.
    await Task(executorPreference: loop) { [tags = desktop.tags] in
      for tag in tags { try? await notifier.withdraw(tag) }
    }
    .value
  }
}

extension PairedServer {
  /// The server without what is only learned of it.
  fileprivate var asPaired: PairedServer {
    var server = self
    server.dialect = nil
    return server
  }
}
