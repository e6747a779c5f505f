// SPDX-License-Identifier: MIT

@testable import OppiModel
@testable import OppiWire

/// A delivery, a server and the messages in transit; each possible next event is a choice.
struct DeliveryWorld: Hashable {
  enum Choice: Hashable {
    case hear
    case serve
    /// The server handles a prompt, and its agent does not accept it.
    case serveRefusal
    case agentBegins
    case agentRefuses
    case turnEnds
    case cut
    /// The server ends the stream as planned.
    case expires
    case openFails
    case opens
    case looks
    case lookFails
    case wakes
    case crash
    /// The program crashes and restarts from its note.
    case dies
    case stopSession
    case stopTurn
    case othersPrompt
    case deletes
  }

  /// The record that is written before a prompt is sent.
  struct Note: Hashable {
    var departure: PromptDelivery.SendRecord
    var at: Duration
  }

  enum Wish: Hashable {
    case open
    case look(Int?)
    case delete
  }

  var delivery: PromptDelivery
  var server: ModelServer
  var now = Duration.zero
  var isConnected = false
  var toServer: [PromptDelivery.Request] = []
  var toClient: [ModelServer.Outgoing] = []
  /// The outstanding request of the delivery.
  var wish: Wish? = .open
  var faults: Int
  var isDeleted = false
  var note: Note?
  /// Whether the world changes without further input.
  var isMoving: Bool {
    wish != nil || !toClient.isEmpty || awaitsStart || (isConnected && !toServer.isEmpty)
  }

  /// Whether a session's own stream waits for the start of its agent.
  var awaitsStart = false
  /// Whether a message was sent before the server listened, which loses it.
  var hasLostMessages = false

  // MARK: - Choices

  var choices: [Choice] {
    var choices: [Choice] = []
    if !toClient.isEmpty, wish == nil { choices.append(.hear) }
    if isConnected, awaitsStart || !toServer.isEmpty {
      choices.append(.serve)
      if mayRefuse { choices.append(.serveRefusal) }
    }
    if let pending = server.pending {
      choices.append(.agentBegins)
      if pending != .others, !server.dialect.recognizesRepeats { choices.append(.agentRefuses) }
    }
    if server.status == .busy, server.isLoaded { choices.append(.turnEnds) }
    switch wish {
    case .open: choices += faults > 0 ? [.opens, .openFails] : [.opens]
    case .look: choices += faults > 0 ? [.looks, .lookFails] : [.looks]
    case .delete: choices.append(.deletes)
    case nil: break
    }
    // An agent starts or refuses within seconds, before a waiting delivery wakes.
    let isQuick = delivery.order.waitsForTurn && server.pending != nil
    if delivery.wakeAt != nil, wish == nil, toClient.isEmpty, !isQuick { choices.append(.wakes) }
    guard faults > 0 else { return choices }
    if isConnected, wish == nil {
      choices.append(.cut)
      if server.dialect.explainsClosing { choices.append(.expires) }
    }
    choices.append(.crash)
    if delivery.verdict == nil { choices.append(.dies) }
    if server.isLoaded {
      choices.append(.stopSession)
      if server.status == .busy { choices.append(.stopTurn) }
      if server.status == .ready, server.pending == nil, !delivery.order.isNewSession {
        choices.append(.othersPrompt)
      }
    }
    return choices
  }

  /// Whether the next message is a prompt that the agent may refuse.
  private var mayRefuse: Bool {
    guard server.dialect.recognizesRepeats, !awaitsStart, server.status != .busy,
      case .prompt? = toServer.first?.message
    else { return false }
    return true
  }

  mutating func take(_ choice: Choice) {
    switch choice {
    case .hear: feed(.received(message(toClient.removeFirst())))
    case .serve: serve()
    case .serveRefusal: serve(isRefused: true)
    case .agentBegins: if let pending = server.pending { send(server.begin(pending)) }
    case .agentRefuses: send(server.refuse())
    case .turnEnds: send(server.endTurn())
    case .opens: open()
    case .looks: look()
    case .wakes:
      now = max(now, delivery.wakeAt ?? now)
      feed(.woke)
    case .deletes:
      wish = nil
      server.unload()
      isDeleted = true
      feed(.deleted)
    case .openFails, .lookFails, .cut, .expires, .crash, .dies, .stopSession, .stopTurn,
      .othersPrompt:
      faults -= 1
      fail(choice)
    }
  }

  private mutating func fail(_ choice: Choice) {
    switch choice {
    case .openFails:
      wish = nil
      feed(.lost)
    case .lookFails:
      wish = nil
      feed(.looked(nil))
    case .cut: lose()
    case .expires: lose(as: .expired)
    case .crash:
      now += .milliseconds(1)
      server.restart(at: now)
      if isConnected { lose() }
    case .dies: die()
    case .stopSession: server.unload()
    case .stopTurn: send(server.stopTurn())
    default:
      server.pending = .others
    }
  }

  private mutating func die() {
    let order = delivery.order
    delivery =
      note.map { .resumed(order, after: $0.departure, at: $0.at) } ?? PromptDelivery(order)
    isConnected = false
    awaitsStart = false
    toServer = []
    toClient = []
    wish = .open
  }

  private mutating func lose(as event: PromptDelivery.Event = .lost) {
    isConnected = false
    awaitsStart = false
    toServer = []
    toClient = []
    if wish == nil { feed(event) } else { isConnected = false }
  }

  // MARK: - Both ends

  private mutating func feed(_ event: PromptDelivery.Event) {
    for action in delivery.handle(event, at: now) {
      switch action {
      case .open:
        wish = .open
      case .send(let requests):
        if requests.contains(where: \.message.isTurn), let (departure, at) = delivery.departure {
          note = Note(departure: departure, at: at)
        }
        if awaitsStart, !server.dialect.hearsBeforeStart {
          hasLostMessages = true
        } else if isConnected {
          toServer += requests
        }
      case .look(let since): wish = .look(since)
      case .close:
        isConnected = false
        toServer = []
        toClient = []
      case .delete: wish = .delete
      case .settle: break
      }
    }
  }

  private mutating func open() {
    wish = nil
    isConnected = true
    awaitsStart = !server.dialect.subscribes
    toServer = []
    toClient = server.dialect == .perSession ? [server.connected] : []
    feed(.opened(server.dialect))
  }

  private mutating func look() {
    guard case .look(let since) = wish else { return }
    wish = nil
    feed(
      .looked(
        PromptDelivery.ServerCheck(
          uptime: server.dialect.namesAgents ? nil : now - server.startedAt,
          status: server.status,
          userTexts: server.runs > 0 ? [delivery.order.prompt.text] : [],
          events: since.flatMap { since in
            server.isLoaded ? server.events(after: since).map(message) : nil
          },
          epoch: server.dialect.namesAgents && server.isLoaded ? "agent \(server.epoch)" : nil,
          reportsRefusals: server.dialect != .perSession
        )
      )
    )
    // A connection that broke during the check is detected now.
    if !isConnected, wish == nil, delivery.verdict == nil { feed(.lost) }
  }

  private mutating func send(_ messages: [ModelServer.Outgoing]) {
    if isConnected, !awaitsStart { toClient += messages }
  }

  private mutating func serve(isRefused: Bool = false) {
    if awaitsStart {
      server.load()
      awaitsStart = false
      return send(server.dialect == .session ? [server.connected, server.state] : [server.state])
    }
    let request = toServer.removeFirst()
    switch request.message {
    case .subscribe(let since): send(server.subscribe(request.id, since: since))
    case .prompt(let turn, _?):
      send(server.queueOrRun(turn.clientTurnID, isRefused: isRefused, request.id))
    case .prompt(let turn, nil):
      send(server.take(turn.clientTurnID, isPrompt: true, request.id))
    case .followUp(let turn), .steer(let turn):
      send(server.take(turn.clientTurnID, isPrompt: false, request.id))
    case .getQueue: if server.dialect.reportsQueue { send([.queue(server.queue)]) }
    default: send([.result(request.id, failure: nil)])
    }
  }

  private func message(_ outgoing: ModelServer.Outgoing) -> ServerMessage {
    switch outgoing {
    case .connected(let status, let sequence, let count):
      ServerMessage.connected(
        word(status),
        sequence: sequence,
        messageCount: count,
        epoch: server.dialect.namesAgents ? "agent \(server.epoch)" : nil
      )
    case .summary(let status, let count):
      ServerMessage.summary(word(status), messageCount: count)
    case .state(let status, let count):
      ServerMessage.state(word(status), messageCount: count)
    case .acknowledged(let id, let isDuplicate):
      ServerMessage.acknowledged(id, "dispatched", isDuplicate: isDuplicate)
    case .result(let id, let failure): ServerMessage.result(id, failure: failure)
    case .agentStart(let sequence): ServerMessage.agentStart(sequence)
    case .user(let isOurs, let sequence):
      ServerMessage.user(isOurs ? delivery.order.prompt.text : "another", sequence)
    case .error(let isBusy, let sequence):
      ServerMessage.error(
        isBusy ? "Agent is already processing. Wait." : "No API key found.",
        sequence: sequence
      )
    case .queue(let ids): ServerMessage.queue(ids)
    }
  }

  private func word(_ status: Session.Status) -> String {
    switch status {
    case .starting: "starting"
    case .ready: "ready"
    case .busy: "busy"
    case .stopping: "stopping"
    case .stopped: "stopped"
    case .error, .unknown: "error"
    }
  }
}
