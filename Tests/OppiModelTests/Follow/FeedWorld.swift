// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import OppiWire

/// A feed, a server and the messages in transit; each possible next event is a choice.
struct FeedWorld: Hashable {
  enum Choice: Hashable {
    case emit
    case hear
    case serve
    case opens
    /// The server sets up a stream of a session, after the start of its agent.
    case setsUp
    case openFails
    case fetches
    case fetchFails
    case cut
    /// The server ends the stream as planned.
    case expires
    case restart
    /// Another client restarts the agent while missed events are being fetched.
    case replace
    case wakes
  }

  enum Outgoing: Hashable {
    case connected(Int, agent: Int)
    case state
    case event(Event)
    case subscribed(String, isComplete: Bool)
  }

  /// An event of one of the agents that were loaded in sequence.
  struct Event: Hashable {
    var agent: Int
    var sequence: Int
  }

  enum Wish: Hashable {
    case open
    case fetch(since: Int)
  }

  static let ring = 2

  let dialect: Dialect.Stream
  var feed: FeedState
  var now = Duration.zero
  var wish: Wish? = .open
  var isConnected = false
  var isSubscribed = false
  /// The sequence number before a session's own stream is set up; `nil` if none is being set up.
  var beforeSetUp: Int?
  var toServer: [Int?] = []
  var toClient: [Outgoing] = []
  var agent = 1
  var sequence = 0
  /// The feed's counter when the agent was restarted; a lower counter reveals the new agent.
  var fallback = Int.max
  var connections = 0
  var hasConnected = false
  /// Whether a stream that had begun was lost before the first state.
  var hasLostFirst = false
  var eventsLeft = 4
  var faults: Int
  var heard: [Event] = []
  var standings: [FeedState.CatchUp] = []
  var isGivenUp = false

  init(_ dialect: Dialect.Stream, faults: Int) {
    self.dialect = dialect
    self.faults = faults
    feed = FeedState(sessionID: "S", timeout: .seconds(1))
  }

  var choices: [Choice] {
    var choices: [Choice] = []
    if case .lost = feed.phase { choices.append(.wakes) }
    if eventsLeft > 0, dialect.namesAgents || sequence + 1 < fallback { choices.append(.emit) }
    if !toClient.isEmpty, wish == nil { choices.append(.hear) }
    if beforeSetUp != nil { choices.append(.setsUp) }
    if isConnected, !toServer.isEmpty { choices.append(.serve) }
    switch wish {
    case .open: choices += [.opens] + (faults > 0 ? [.openFails] : [])
    case .fetch: choices += [.fetches] + (faults > 0 ? [.fetchFails] : [])
    case nil: break
    }
    if faults > 0 {
      if isConnected { choices.append(.cut) }
      if isConnected, dialect.explainsClosing, wish == nil { choices.append(.expires) }
      choices.append(.restart)
      if dialect.namesAgents, case .fetch = wish { choices.append(.replace) }
    }
    return choices
  }

  mutating func take(_ choice: Choice) {
    switch choice {
    case .emit:
      eventsLeft -= 1
      sequence += 1
      if isSubscribed { toClient.append(.event(Event(agent: agent, sequence: sequence))) }
    case .hear: receive(toClient.removeFirst())
    case .serve: subscribe(since: toServer.removeFirst())
    case .opens: open()
    case .fetches: fetch()
    case .wakes:
      if case .lost(let moment) = feed.phase { now = max(now, moment) }
      if feed.retry(at: now) { wish = .open }
    case .openFails, .fetchFails:
      faults -= 1
      lose()
    case .cut:
      faults -= 1
      lose()
    case .expires:
      faults -= 1
      disconnect()
      if feed.expired() { wish = .open } else { lose() }
    case .setsUp: setUp()
    case .restart:
      faults -= 1
      fallback = feed.anchor.map { max($0, 1) } ?? .max
      agent += 1
      sequence = 0
      if isConnected || wish != nil { lose() }
    case .replace:
      faults -= 1
      agent += 1
      sequence = 0
      isSubscribed = false
    }
  }

  private mutating func disconnect() {
    isConnected = false
    isSubscribed = false
    beforeSetUp = nil
    wish = nil
    toServer = []
    toClient = []
  }

  private mutating func lose() {
    disconnect()
    hasLostFirst = hasLostFirst || hasConnected && standings.isEmpty
    feed.failed(at: now, spread: 0.5)
    isGivenUp = feed.phase == .givenUp
  }

  private mutating func open() {
    wish = nil
    isConnected = true
    connections += 1
    feed.opened(dialect)
    if dialect.subscribes {
      toServer = [feed.anchor]
    } else if dialect.namesAgents {
      beforeSetUp = sequence
    } else {
      toClient = [.connected(sequence, agent: agent), .state]
      isSubscribed = true
    }
  }

  /// The events that happened meanwhile come after the number that includes them.
  private mutating func setUp() {
    guard let since = beforeSetUp else { return }
    beforeSetUp = nil
    isSubscribed = true
    toClient.append(.connected(sequence, agent: agent))
    toClient += (events(after: since) ?? []).map(Outgoing.event)
    toClient.append(.state)
  }

  private mutating func subscribe(since: Int?) {
    isSubscribed = true
    let missed = events(after: since ?? sequence)
    toClient += [.connected(sequence, agent: agent), .state]
    toClient += (missed ?? []).map(Outgoing.event)
    toClient.append(.subscribed("\(connections)", isComplete: missed != nil))
  }

  /// The events after a counter, or `nil` if the server has dropped some of them.
  private func events(after since: Int) -> [Event]? {
    guard since < sequence else { return [] }
    guard sequence - since <= Self.ring else { return nil }
    return ((since + 1)...sequence).map { Event(agent: agent, sequence: $0) }
  }

  private mutating func fetch() {
    guard case .fetch(let since) = wish else { return }
    wish = nil
    let present = events(after: since)
    let messages = present?.map { ServerMessage.agentStart($0.sequence) }
    let epoch = dialect.namesAgents ? "agent \(agent)" : nil
    let (news, catchUp) = feed.fetched(messages, of: epoch, at: now)
    heard += news.compactMap(\.sequence).map { Event(agent: agent, sequence: $0) }
    if let catchUp { stand(catchUp) }
  }

  private mutating func receive(_ outgoing: Outgoing) {
    let message: ServerMessage =
      switch outgoing {
      case .connected(let sequence, let agent):
        ServerMessage.connected(
          "busy",
          sequence: sequence,
          epoch: dialect.namesAgents ? "agent \(agent)" : nil
        )
      case .state: ServerMessage.state("busy")
      case .event(let event): ServerMessage.agentStart(event.sequence)
      case .subscribed(let id, let isComplete):
        ServerMessage.result(id, data: ["catchUpComplete": .bool(isComplete)])
      }
    if case .connected = outgoing { hasConnected = true }
    let wasFetching = feed.phase == .fetching
    let reading = feed.read(message, requestID: "\(connections)", at: now)
    if case .event(let event) = outgoing, reading.isNews { heard.append(event) }
    if !wasFetching, feed.phase == .fetching, let anchor = feed.anchor {
      wish = .fetch(since: anchor)
    }
    if let catchUp = reading.catchUp { stand(catchUp) }
  }

  private mutating func stand(_ catchUp: FeedState.CatchUp) {
    standings.append(catchUp)
  }
}
