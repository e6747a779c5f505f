// SPDX-License-Identifier: MIT

import OppiModel
import Testing

/// The transitions of a delivery, a row each.
@Suite struct PromptDeliveryTests {
  typealias Messages = DeliveryMessages

  /// A story: what happens, and at the end what was sent and what came of it.
  struct Story: CustomTestStringConvertible, Sendable {
    enum Step: Sendable {
      case event(PromptDelivery.Event)
      case message(ServerMessage)
      /// So much time passes, and the delivery is woken if it wants to be.
      case time(Duration)
    }

    var testDescription: String
    var isNew = true
    var thinking: ThinkingLevel?
    var whenBusy = PromptDelivery.WhenBusy.queue
    var waits = false
    var steps: [Step]
    /// The types of the messages that were sent.
    var sent: [String]
    var verdict: PromptDelivery.Verdict?
    /// The other things that the delivery asked for.
    var wishes: [PromptDelivery.Action] = []
  }

  private static func play(_ story: Story) -> (
    delivery: PromptDelivery, sent: [ClientMessage], wishes: [PromptDelivery.Action]
  ) {
    var limits = PromptDelivery.Limits()
    if story.waits { limits.total = nil }
    let order = PromptDelivery.Order(
      sessionID: "S",
      isNewSession: story.isNew,
      turn: .init(text: "do it", clientTurnID: "T"),
      thinking: story.thinking,
      whenBusy: story.whenBusy,
      waitsForTurn: story.waits,
      limits: limits
    )
    var delivery = PromptDelivery(order)
    var sent: [ClientMessage] = []
    var wishes: [PromptDelivery.Action] = []
    var now = Duration.zero
    for step in story.steps {
      let actions: [PromptDelivery.Action] =
        switch step {
        case .event(let event): delivery.handle(event, at: now)
        case .message(let message): delivery.handle(.received(message), at: now)
        case .time(let duration):
          {
            now += duration
            return delivery.handle(.woke, at: now)
          }()
        }
      for action in actions {
        switch action {
        case .send(let requests): sent += requests.map(\.message)
        case .settle: break
        default: wishes.append(action)
        }
      }
    }
    return (delivery, sent, wishes)
  }

  private static func prompt(_ name: String, stream: Int = 1, turn: String = "T") -> String {
    "\(turn).\(stream).\(name)"
  }

  private static let opened: Story.Step = .event(.opened(.multiplexed))
  private static let openedOld: Story.Step = .event(.opened(.perSession))
  private static let taken: [Story.Step] = [
    .message(Messages.connected("ready")), .message(Messages.acknowledged("T", "dispatched")),
  ]

  static let sending: [Story] = [
    Story(
      testDescription: "a new session's prompt leaves with the subscription",
      steps: [opened],
      sent: ["subscribe", "prompt"]
    ),
    Story(
      testDescription: "an older server's stream is the subscription",
      steps: [openedOld],
      sent: ["prompt"]
    ),
    Story(
      testDescription: "medium leaves in the same write, and costs no round trip",
      thinking: .medium,
      steps: [opened],
      sent: ["subscribe", "set_thinking_level", "prompt"]
    ),
    Story(
      testDescription: "another level is set before the prompt may leave",
      thinking: .high,
      steps: [opened, .message(Messages.connected("ready"))],
      sent: ["subscribe", "set_thinking_level"]
    ),
    Story(
      testDescription: "an explicit medium is sent to an existing session, too",
      isNew: false,
      thinking: .medium,
      steps: [
        opened, .message(Messages.connected("ready")),
        .message(Messages.result(prompt("level"), data: ["level": "medium"])),
      ],
      sent: ["subscribe", "set_thinking_level", "prompt"]
    ),
    Story(
      testDescription: "a busy session gets a follow-up",
      isNew: false,
      steps: [opened, .message(Messages.connected("busy"))],
      sent: ["subscribe", "follow_up"]
    ),
    Story(
      testDescription: "a busy session is steered where that is asked for",
      isNew: false,
      whenBusy: .steer,
      steps: [opened, .message(Messages.connected("busy"))],
      sent: ["subscribe", "steer"]
    ),
    Story(
      testDescription: "an older server's first word is its disk's; the state after it counts",
      isNew: false,
      steps: [
        openedOld, .message(Messages.connected("busy")), .message(Messages.state("ready")),
      ],
      sent: ["prompt"]
    ),
    Story(
      testDescription: "a session that is being stopped is waited for",
      isNew: false,
      steps: [
        opened, .message(Messages.connected("stopping")), .message(Messages.state("ready")),
      ],
      sent: ["subscribe", "prompt"]
    ),
    Story(
      testDescription: "a follow-up that came too late is sent as a prompt under another id",
      isNew: false,
      steps: [
        opened, .message(Messages.connected("busy")),
        .message(
          Messages.result(
            prompt("prompt"),
            failure: "Follow-up requires an active streaming turn"
          )
        ),
      ],
      sent: ["subscribe", "follow_up", "prompt"]
    ),
  ]

  static let fates: [Story] = [
    Story(
      testDescription: "that the server has read it is no acceptance",
      steps: [opened, .message(Messages.acknowledged("T", "accepted"))],
      sent: ["subscribe", "prompt"]
    ),
    Story(
      testDescription: "a prompt is accepted when the agent has it, and started when it begins",
      steps: [opened] + taken + [.message(Messages.agentStart(1))],
      sent: ["subscribe", "prompt"],
      verdict: .delivered(.started)
    ),
    Story(
      testDescription: "an agent that shows nothing for a second has accepted",
      steps: [opened] + taken + [.time(.seconds(1))],
      sent: ["subscribe", "prompt"],
      verdict: .delivered(.accepted)
    ),
    Story(
      testDescription: "an acceptance stands when the stream breaks",
      steps: [opened] + taken + [.event(.lost)],
      sent: ["subscribe", "prompt"],
      verdict: .delivered(.accepted)
    ),
    Story(
      testDescription: "a follow-up is queued by the server's word",
      isNew: false,
      steps: [
        opened, .message(Messages.connected("busy")),
        .message(Messages.acknowledged("T", "dispatched")),
      ],
      sent: ["subscribe", "follow_up"],
      verdict: .delivered(.queued)
    ),
    Story(
      testDescription: "a refusal of the agent may come before the server's own answer",
      steps: [opened] + taken + [
        .message(Messages.error("No API key", sequence: 1)), .event(.deleted(true)),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .refused(.agentRefused("No API key")),
      wishes: [.close, .delete]
    ),
    Story(
      testDescription: "what a session's agent refuses leaves an existing session in place",
      isNew: false,
      steps: [opened] + taken + [.message(Messages.error("No API key", sequence: 1))],
      sent: ["subscribe", "prompt"],
      verdict: .refused(.agentRefused("No API key"))
    ),
    Story(
      testDescription: "an error that names nothing says nothing before the acceptance",
      steps: [opened, .message(Messages.error("Permission request not found: x"))],
      sent: ["subscribe", "prompt"]
    ),
    Story(
      testDescription: "a full server is no place, and the empty session is removed",
      steps: [
        opened,
        .message(
          Messages.result(prompt("subscribe"), failure: "Workspace session limit reached (20)")
        ),
        .event(.deleted(true)),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .refused(.full("Workspace session limit reached (20)", code: nil)),
      wishes: [.close, .delete]
    ),
    Story(
      testDescription: "an older server that is full says so and hangs up",
      steps: [
        openedOld, .message(Messages.connected("starting")),
        .message(
          Messages.error("Workspace session limit reached (3)", code: "SESSION_LIMIT_WORKSPACE")
        ),
        .event(.lost), .event(.deleted(true)),
      ],
      sent: ["prompt"],
      verdict: .refused(
        .full("Workspace session limit reached (3)", code: "SESSION_LIMIT_WORKSPACE")
      ),
      wishes: [.close, .delete]
    ),
    Story(
      testDescription: "an older server that cannot start the agent keeps its reason",
      steps: [
        openedOld, .message(Messages.connected("starting")),
        .message(Messages.error("Sandbox mode requires QEMU")), .event(.lost),
        .event(.deleted(true)),
      ],
      sent: ["prompt"],
      verdict: .refused(.startFailed("Sandbox mode requires QEMU")),
      wishes: [.close, .delete]
    ),
    Story(
      testDescription: "an error after an older server's agent has started is no failed start",
      steps: [
        openedOld, .message(Messages.connected("starting")), .message(Messages.state("ready")),
        .message(Messages.error("anything")), .event(.lost),
      ],
      sent: ["prompt"],
      wishes: [.open]
    ),
    Story(
      testDescription: "silence is an unknown delivery",
      steps: [opened, .time(.seconds(10))],
      sent: ["subscribe", "prompt"],
      verdict: .unknown(.silence)
    ),
    Story(
      testDescription: "a prompt that never left is known not to have been sent",
      isNew: false,
      steps: [opened, .time(.seconds(10))],
      sent: ["subscribe"],
      verdict: .notSent
    ),
    Story(
      testDescription: "a slow start is a part of the wait for a turn",
      waits: true,
      steps: [opened, .time(.seconds(60))] + taken + [.message(Messages.agentStart(1))],
      sent: ["subscribe", "prompt"],
      verdict: .delivered(.started)
    ),
    Story(
      testDescription: "an older server is asked about a prompt that nothing comes of",
      waits: true,
      steps: [
        openedOld, .message(Messages.connected("starting")), .message(Messages.state("ready")),
        .message(Messages.acknowledged("T", "dispatched")), .time(.seconds(3)),
        .event(.looked(.init(uptime: .seconds(99), status: .ready, events: []))),
        .time(.seconds(3)),
        .event(.looked(.init(uptime: .seconds(99), status: .ready, events: []))),
      ],
      sent: ["prompt"],
      verdict: .refused(.silent),
      wishes: [.look(since: 0), .look(since: 0)]
    ),
    Story(
      testDescription: "where two prompt at once, the one that lost is told by the other's words",
      isNew: false,
      steps: [opened] + taken + [
        .message(Messages.error("Agent is already processing. Wait.", sequence: 1)),
        .message(Messages.agentStart(2)), .message(Messages.user("another", 3)),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .refused(.busy)
    ),
    Story(
      testDescription: "another's words alone do not say that a prompt was lost",
      isNew: false,
      steps: [opened] + taken + [
        .message(Messages.agentStart(1)), .message(Messages.user("another", 2)),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .delivered(.accepted)
    ),
    Story(
      testDescription: "what was heard of the turn before is not of this one",
      isNew: false,
      steps: [
        opened, .message(Messages.connected("busy", sequence: 4)),
        .message(Messages.agentStart(5)),
        .message(
          Messages.result(
            prompt("prompt"),
            failure: "Follow-up requires an active streaming turn"
          )
        ),
        .message(Messages.acknowledged("T-again", "dispatched")),
        .message(Messages.user("do it", 6)),
      ],
      sent: ["subscribe", "follow_up", "prompt"],
      verdict: .delivered(.started)
    ),
    Story(
      testDescription: "where two prompt at once, the one that won is told by its own words",
      isNew: false,
      steps: [opened] + taken + [
        .message(Messages.error("Agent is already processing. Wait.", sequence: 1)),
        .message(Messages.agentStart(2)), .message(Messages.user("do it", 3)),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .delivered(.started)
    ),
  ]

  private static let sighting = PromptDelivery.Sighting(uptime: .seconds(99), status: .ready)
  private static let back: [Story.Step] = [.event(.lost), opened, .event(.looked(sighting))]

  static let secondLooks: [Story] = [
    Story(
      testDescription: "a prompt that did not arrive is sent again under its id",
      steps: [opened] + back + [
        .message(Messages.connected("ready")),
        .message(Messages.result(prompt("subscribe", stream: 2))),
      ],
      sent: ["subscribe", "prompt", "subscribe", "prompt"],
      wishes: [.open, .look(since: nil)]
    ),
    Story(
      testDescription: "a prompt that arrived shows in the events",
      steps: [opened] + back + [
        .message(Messages.connected("busy", sequence: 2, messageCount: 1)),
        .message(Messages.agentStart(1)),
      ],
      sent: ["subscribe", "prompt", "subscribe"],
      verdict: .delivered(.started),
      wishes: [.open, .look(since: nil)]
    ),
    Story(
      testDescription: "a prompt that arrived and was refused shows in the events",
      steps: [opened] + back + [
        .message(Messages.connected("ready", sequence: 1, messageCount: 1)),
        .message(Messages.error("No API key", sequence: 1)),
        .message(Messages.result(prompt("subscribe", stream: 2))), .event(.deleted(true)),
      ],
      sent: ["subscribe", "prompt", "subscribe"],
      verdict: .refused(.agentRefused("No API key")),
      wishes: [.open, .look(since: nil), .close, .delete]
    ),
    Story(
      testDescription: "a server that was started anew may have run it",
      steps: [
        opened, .time(.seconds(2)), .event(.lost), opened,
        .event(.looked(.init(uptime: .seconds(1), status: .ready))),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .unknown(.agentGone),
      wishes: [.open, .look(since: nil), .close]
    ),
    Story(
      testDescription: "what a restarted server has in its trace was accepted",
      steps: [
        opened, .time(.seconds(2)), .event(.lost), opened,
        .event(.looked(.init(uptime: .zero, status: .stopped, userTexts: ["do it"]))),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .delivered(.accepted),
      wishes: [.open, .look(since: nil), .close]
    ),
    Story(
      testDescription: "an existing session that has got something since is not prompted again",
      isNew: false,
      steps: [opened, .message(Messages.connected("ready", sequence: 4, messageCount: 2))] + back
        + [
          .message(Messages.connected("ready", sequence: 8, messageCount: 4)),
          .message(Messages.result(prompt("subscribe", stream: 2))),
        ],
      sent: ["subscribe", "prompt", "subscribe"],
      verdict: .unknown(.agentGone),
      wishes: [.open, .look(since: nil)]
    ),
    Story(
      testDescription: "an agent whose counter fell back remembers no ids",
      isNew: false,
      steps: [opened, .message(Messages.connected("ready", sequence: 4, messageCount: 2))] + back
        + [.message(Messages.connected("ready", sequence: 0, messageCount: 2))],
      sent: ["subscribe", "prompt", "subscribe"],
      verdict: .unknown(.agentGone),
      wishes: [.open, .look(since: nil)]
    ),
    Story(
      testDescription: "a follow-up that still waits is vouched for by the queue",
      isNew: false,
      steps: [opened, .message(Messages.connected("busy", sequence: 4))] + back + [
        .message(Messages.connected("busy", sequence: 4)),
        .message(Messages.result(prompt("subscribe", stream: 2))),
        .message(Messages.queue(["other", "T"])),
      ],
      sent: ["subscribe", "follow_up", "subscribe", "get_queue"],
      verdict: .delivered(.queued),
      wishes: [.open, .look(since: nil)]
    ),
    Story(
      testDescription: "a follow-up that is nowhere is not sent again",
      isNew: false,
      steps: [opened, .message(Messages.connected("busy", sequence: 4))] + back + [
        .message(Messages.connected("busy", sequence: 4)),
        .message(Messages.result(prompt("subscribe", stream: 2))), .message(Messages.queue([])),
      ],
      sent: ["subscribe", "follow_up", "subscribe", "get_queue"],
      verdict: .unknown(.agentGone),
      wishes: [.open, .look(since: nil)]
    ),
    Story(
      testDescription: "a server that is away is tried until the time is over",
      steps: [
        opened, .time(.seconds(8)), .event(.lost), .event(.lost), .time(.milliseconds(100)),
        .event(.lost), .time(.milliseconds(200)), .event(.lost), .time(.seconds(5)),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .unknown(.lost),
      wishes: [.open, .open, .open]
    ),
    Story(
      testDescription: "an older server tells over REST what came of it",
      steps: [
        openedOld, .event(.lost), openedOld,
        .message(Messages.connected("starting")),
        .message(Messages.state("busy", messageCount: 1)),
        .event(
          .looked(
            .init(uptime: .seconds(99), status: .busy, events: [Messages.agentStart(1)])
          )
        ),
      ],
      sent: ["prompt"],
      verdict: .delivered(.started),
      wishes: [.open, .look(since: 0)]
    ),
    Story(
      testDescription: "an older server that was stopped in between remembers nothing",
      steps: [
        openedOld, .event(.lost), openedOld, .message(Messages.connected("stopped")),
      ],
      sent: ["prompt"],
      verdict: .unknown(.agentGone),
      wishes: [.open]
    ),
    Story(
      testDescription: "a server that no longer lets the program in leaves the fate unknown",
      steps: [opened, .event(.lost), .event(.shutOut)],
      sent: ["subscribe", "prompt"],
      verdict: .unknown(.shutOut),
      wishes: [.open]
    ),
  ]

  @Test("a prompt goes to the session in the way that fits it", arguments: sending)
  func sends(story: Story) { check(story) }

  @Test("what becomes of a prompt is what the server says", arguments: fates)
  func fate(story: Story) { check(story) }

  @Test("a lost connection is followed by a second look", arguments: secondLooks)
  func secondLook(story: Story) { check(story) }

  private func check(_ story: Story) {
    let (delivery, sent, wishes) = Self.play(story)
    #expect(sent.map(\.type) == story.sent)
    #expect(delivery.verdict == story.verdict)
    #expect(wishes == story.wishes)
  }

  @Test("a repeat has the id and the words of the first, and another kind another id")
  func ids() throws {
    let repeated = Self.play(Self.secondLooks[0]).sent.compactMap(\.turn)
    #expect(repeated.map(\.clientTurnID) == ["T", "T"])
    #expect(Set(repeated.map(\.text)) == ["do it"])
    let changed = Self.play(try #require(Self.sending.last)).sent.compactMap(\.turn)
    #expect(Set(changed.map(\.clientTurnID)).count == 2)
  }

  @Test("what is known of a turn begins where its prompt left")
  func anchor() throws {
    let story = try #require(Self.fates.first { $0.testDescription.contains("turn before") })
    #expect(Self.play(story).delivery.anchor == 5)
  }

  @Test("the model and the level are what the server says they are")
  func place() {
    let (delivery, _, _) = Self.play(Self.sending[4])
    #expect(delivery.place.model == "some/model")
    #expect(delivery.place.thinking == "medium")
  }
}

extension ClientMessage {
  fileprivate var turn: Turn? {
    switch self {
    case .prompt(let turn), .followUp(let turn), .steer(let turn): turn
    default: nil
    }
  }
}
