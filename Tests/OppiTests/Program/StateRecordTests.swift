// SPDX-License-Identifier: MIT

import OppiModel
import OppiText
import OppiWire
import TestSupport
import Testing

@testable import Oppi
@testable import OppiClient
@testable import OppiPrompts

@Suite struct StateRecordTests {
  private static let prompt = {
    var entry = AskHistoryFile.Entry(
      at: .noon,
      clientTurnID: "turn-1",
      workspace: WorkspaceReference(serverID: Fingerprint.sample(1), workspaceID: "w1"),
      place: "studio/demo",
      sessionID: "s1",
      prompt: "do it",
      imageCount: 2,
      state: "accepted",
      outboxKey: OutboxKey("nightly")
    )
    (entry.number, entry.isCut) = (7, true)
    (entry.shortcut, entry.after, entry.cost) = ("nightly", "turn-0", Dollars("0.5"))
    return entry
  }()

  @Test(
    "every member survives a round trip, and has its default or rejects the record if missing",
    arguments: [
      RecordCase(
        "SetupRecord.File",
        SetupRecord.File.shape,
        [SetupRecord.File(path: "/x", what: "a unit", digests: ["00"], collection: "demo")],
        required: ["path", "what", "sha256"]
      ),
      RecordCase(
        "AskHistoryFile.Entry",
        AskHistoryFile.Entry.shape,
        [prompt],
        required: ["at", "clientTurnId", "prompt", "state"],
        defaults: ["place": ""]
      ),
      RecordCase(
        "ContinuedSession",
        ContinuedSession.shape,
        [WorkspaceReference(serverID: Fingerprint.sample(1), workspaceID: "w1")]
          .compactMap(\.self)
          .map { ContinuedSession(workspace: $0, id: "s1") },
        required: ["workspace", "sessionId"]
      ),
      RecordCase(
        "ConditionRecord",
        ConditionRecord.shape,
        [ConditionRecord(digest: "00", isSent: true)],
        required: ["output"],
        defaults: ["sent": false]
      ),
      RecordCase(
        "ShownRequests.Entry",
        ShownRequests.Entry.shape,
        [
          ShownRequests.Entry(
            .question(UserQuestion(id: "q", method: "confirm", body: .null)),
            of: Fingerprint.sample(1),
            in: "S"
          )
        ],
        required: ["serverId", "requestId", "sha256"],
        defaults: ["sessionId": "", "read": true]
      ),
      RecordCase(
        "ShownRequests",
        ShownRequests.shape,
        [ShownRequests()],
        strict: ["requests"],
        defaults: ["requests": []]
      ),
      RecordCase(
        "MessageHistory",
        MessageHistory.shape,
        [MessageHistory()],
        strict: ["messages"],
        defaults: ["messages": []]
      ),
    ]
  )
  func members(record: RecordCase) {
    #expect(record.problems == [])
  }
}
