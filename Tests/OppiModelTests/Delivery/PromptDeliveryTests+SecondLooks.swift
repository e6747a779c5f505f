// SPDX-License-Identifier: MIT

@testable import OppiModel
@testable import OppiText
@testable import OppiWire

extension PromptDeliveryTests {
  static let secondLooks: [Story] = repeats + lookups + losses

  private static let check = PromptDelivery.ServerCheck(uptime: .seconds(99), status: .ready)
  private static let back: [Story.Step] = [.lost, opened, .looked(check)]
  /// Another stream was opened, and the server queried.
  private static let checked: [PromptDelivery.Action] = [.open, .look(since: nil)]

  /// What follows on a repeat of a prompt that was lost, and the verdict.
  private static let repeats = [
    ("a prompt that did not arrive is sent again with the same id", [], nil),
    (
      "a refused repeat does not determine the result of the first attempt",
      [.result("T.2.prompt", failure: "clientTurnId conflict")], .unknown(.agentGone)
    ),
    (
      "an early server's answer that it knows a repeat does not show the delivery",
      [known, .time(.seconds(1))], .unknown(.silence)
    ),
    (
      "what an early server knows of a repeat is not shown by another prompt's text either",
      [known, .user("another", 2), .time(.seconds(1))], .unknown(.silence)
    ),
    (
      "an early server's answer that it knows a repeat shows nothing without the stream either",
      [known, .lost], .unknown(.lost)
    ),
  ].map { (name: String, steps: [Story.Step], verdict: PromptDelivery.Verdict?) in
    Story(
      name,
      [opened] + back + [.connected("ready"), .result("T.2.subscribe")] + steps,
      sent: "subscribe prompt subscribe prompt",
      verdict: verdict,
      wishes: checked
    )
  }

  private static let known = Story.Step.acknowledged("T", "dispatched", isDuplicate: true)

  /// What a new stream shows of a lost prompt; the session of a new one has no state before.
  private static let lookups = [
    (
      "a prompt is not sent again if events may be missing", nil,
      [.connected("ready"), .result("T.2.subscribe", data: ["catchUpComplete": false])],
      .unknown(.agentGone)
    ),
    (
      "an error that belongs to no turn is no refusal of a prompt that arrived", nil,
      [
        .connected("ready", sequence: 1, messageCount: 1),
        .error("Permission request not found: x"), .result("T.2.subscribe"),
      ],
      .delivered(.accepted)
    ),
    (
      "a prompt that arrived is found in the events", nil,
      [.connected("busy", sequence: 2, messageCount: 1), .agentStart(1)], .delivered(.started)
    ),
    (
      "a prompt is not sent again to an existing session with new messages", "ready",
      [.connected("ready", sequence: 8, messageCount: 4), .result("T.2.subscribe")],
      .unknown(.agentGone)
    ),
    (
      "a prompt is unknown if the agent's counter was reset", "ready",
      [.connected("ready", sequence: 0, messageCount: 2)], .unknown(.agentGone)
    ),
    (
      "a pending follow-up is found in the queue", "busy",
      [.connected("busy", sequence: 4), .result("T.2.subscribe"), .queue(["other", "T"])],
      .delivered(.queued)
    ),
    (
      "a follow-up that is not found is not sent again", "busy",
      [.connected("busy", sequence: 4), .result("T.2.subscribe"), .queue([])], .unknown(.agentGone)
    ),
  ].map {
    (name: String, status: String?, steps: [Story.Step], verdict: PromptDelivery.Verdict) in
    Story(
      name,
      isNew: status == nil,
      [opened]
        + (status.map { [.connected($0, sequence: 4, messageCount: $0 == "ready" ? 2 : 0)] } ?? [])
        + back + steps,
      sent: status == "busy"
        ? "subscribe follow_up subscribe get_queue" : "subscribe prompt subscribe",
      verdict: verdict,
      wishes: checked
    )
  }

  /// A prompt that was sent to an older server's session.
  private static let askedOld: [Story.Step] = [
    openedOld, .connected("ready", sequence: 4), .state("ready", messageCount: 2),
  ]

  private static let losses: [Story] = [
    Story(
      "a refusal of a prompt that arrived is found in the events",
      [opened] + back + [
        .connected("ready", sequence: 1, messageCount: 1), .error("No API key", sequence: 1),
        .result("T.2.subscribe"), .deleted,
      ],
      sent: "subscribe prompt subscribe",
      verdict: .refused(.agentRefused("No API key")),
      wishes: checked + removed
    ),
    Story(
      "a prompt is unknown if the server was restarted",
      [
        opened, .time(.seconds(2)), .lost, opened,
        .looked(.init(uptime: .seconds(1), status: .ready)),
      ],
      verdict: .unknown(.agentGone),
      wishes: checked + [.close]
    ),
    Story(
      "a prompt in the trace of a restarted server was accepted",
      [
        opened, .time(.seconds(2)), .lost, opened,
        .looked(.init(uptime: .zero, status: .stopped, userTexts: ["do it"])),
      ],
      verdict: .delivered(.accepted),
      wishes: checked + [.close]
    ),
    Story(
      "an unreachable server is retried until the deadline",
      [
        opened, .time(.seconds(8)), .lost, .lost, .time(.milliseconds(100)), .lost,
        .time(.milliseconds(200)), .lost, .time(.seconds(5)),
      ],
      verdict: .unknown(.lost),
      wishes: [.open, .open, .open]
    ),
    Story(
      "an older server reports the result over REST",
      [
        openedOld, .lost, openedOld, .connected("starting"), .state("busy", messageCount: 1),
        .looked(.init(uptime: .seconds(99), status: .busy, events: [ServerMessage.agentStart(1)])),
      ],
      sent: "prompt",
      verdict: .delivered(.started),
      wishes: [.open, .look(since: 0)]
    ),
    Story(
      "a prompt is unknown if an older server has not kept the events",
      isNew: false,
      askedOld + [
        .lost, openedOld, .connected("ready", sequence: 4), .state("ready", messageCount: 2),
        .looked(check),
      ],
      sent: "prompt",
      verdict: .unknown(.agentGone),
      wishes: [.open, .look(since: 4)]
    ),
    Story(
      "a prompt is unknown if another agent of an older server counts the events",
      isNew: false,
      askedOld + [.lost, openedOld, .connected("ready", sequence: 3)],
      sent: "prompt",
      verdict: .unknown(.agentGone),
      wishes: [.open]
    ),
    Story(
      "a prompt is unknown if its session on an older server was stopped",
      [openedOld, .lost, openedOld, .connected("stopped")],
      sent: "prompt",
      verdict: .unknown(.agentGone),
      wishes: [.open]
    ),
    Story(
      "a prompt is unknown if the server refuses the client after it was sent",
      [opened, .shutOut],
      verdict: .unknown(.shutOut)
    ),
    Story(
      "a prompt is unknown if the server no longer accepts the token",
      [opened, .lost, .shutOut],
      verdict: .unknown(.shutOut),
      wishes: [.open]
    ),
  ]
}
