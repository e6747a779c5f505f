// SPDX-License-Identifier: MIT

import OppiModel

extension PromptDeliveryTests {
  private static let check = PromptDelivery.ServerCheck(uptime: .seconds(99), status: .ready)
  private static let back: [Story.Step] = [.event(.lost), opened, .event(.looked(check))]

  static let secondLooks: [Story] = [
    Story(
      testDescription: "a prompt that did not arrive is sent again with the same id",
      steps: [opened] + back + [
        .message(Messages.connected("ready")),
        .message(Messages.result(prompt("subscribe", stream: 2))),
      ],
      sent: ["subscribe", "prompt", "subscribe", "prompt"],
      wishes: [.open, .look(since: nil)]
    ),
    Story(
      testDescription: "a refused repeat does not determine the result of the first attempt",
      steps: [opened] + back + [
        .message(Messages.connected("ready")),
        .message(Messages.result(prompt("subscribe", stream: 2))),
        .message(Messages.result(prompt("prompt", stream: 2), failure: "clientTurnId conflict")),
      ],
      sent: ["subscribe", "prompt", "subscribe", "prompt"],
      verdict: .unknown(.agentGone),
      wishes: [.open, .look(since: nil)]
    ),
    Story(
      testDescription: "a prompt that arrived is found in the events",
      steps: [opened] + back + [
        .message(Messages.connected("busy", sequence: 2, messageCount: 1)),
        .message(Messages.agentStart(1)),
      ],
      sent: ["subscribe", "prompt", "subscribe"],
      verdict: .delivered(.started),
      wishes: [.open, .look(since: nil)]
    ),
    Story(
      testDescription: "a refusal of a prompt that arrived is found in the events",
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
      testDescription: "a prompt is unknown if the server was restarted",
      steps: [
        opened, .time(.seconds(2)), .event(.lost), opened,
        .event(.looked(.init(uptime: .seconds(1), status: .ready))),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .unknown(.agentGone),
      wishes: [.open, .look(since: nil), .close]
    ),
    Story(
      testDescription: "a prompt in the trace of a restarted server was accepted",
      steps: [
        opened, .time(.seconds(2)), .event(.lost), opened,
        .event(.looked(.init(uptime: .zero, status: .stopped, userTexts: ["do it"]))),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .delivered(.accepted),
      wishes: [.open, .look(since: nil), .close]
    ),
    Story(
      testDescription: "a prompt is not sent again to an existing session with new messages",
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
      testDescription: "a prompt is unknown if the agent's counter was reset",
      isNew: false,
      steps: [opened, .message(Messages.connected("ready", sequence: 4, messageCount: 2))] + back
        + [.message(Messages.connected("ready", sequence: 0, messageCount: 2))],
      sent: ["subscribe", "prompt", "subscribe"],
      verdict: .unknown(.agentGone),
      wishes: [.open, .look(since: nil)]
    ),
    Story(
      testDescription: "a pending follow-up is found in the queue",
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
      testDescription: "a follow-up that is not found is not sent again",
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
      testDescription: "an unreachable server is retried until the deadline",
      steps: [
        opened, .time(.seconds(8)), .event(.lost), .event(.lost), .time(.milliseconds(100)),
        .event(.lost), .time(.milliseconds(200)), .event(.lost), .time(.seconds(5)),
      ],
      sent: ["subscribe", "prompt"],
      verdict: .unknown(.lost),
      wishes: [.open, .open, .open]
    ),
    Story(
      testDescription: "an older server reports the result over REST",
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
      testDescription: "a prompt is unknown if its session on an older server was stopped",
      steps: [
        openedOld, .event(.lost), openedOld, .message(Messages.connected("stopped")),
      ],
      sent: ["prompt"],
      verdict: .unknown(.agentGone),
      wishes: [.open]
    ),
    Story(
      testDescription: "a prompt is unknown if the server no longer accepts the token",
      steps: [opened, .event(.lost), .event(.shutOut)],
      sent: ["subscribe", "prompt"],
      verdict: .unknown(.shutOut),
      wishes: [.open]
    ),
  ]
}
