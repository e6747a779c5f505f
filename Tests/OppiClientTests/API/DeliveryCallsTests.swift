// SPDX-License-Identifier: MIT

import EventLoop
import FakeServer
import OppiModel
import OppiWire
import Simulation
import Testing

@testable import OppiClient
@testable import OppiTestSupport

/// What a delivery hears of its actions at the server; `ask` and chats perform them in the same way.
@Suite struct DeliveryCallsTests {
  @Test("the results of several jobs are in the order of the jobs, however long each takes")
  func order() {
    inFlowWorld { flow in
      let results = try await flow.calls.perform([1, 3, 2]) { job, calls -> Int? in
        try? await calls.loop.sleep(for: .seconds(job))
        return job
      }
      #expect(results == [1, 3, 2])
    }
  }

  @Test("a query reports the session's state; one that has no answer reports that")
  func query() {
    let trouble = Trouble()
    inFlowWorld(.sessionSockets, where: \.interceptor, is: trouble.interceptor) { flow in
      let session = try await flow.newSession()
      let calls = try await flow.calls
      let found = try await calls.perform(.look(since: 0), in: session, over: nil)
      guard case .looked(let check?) = found else { return #expect(found == nil) }
      #expect(check.status == .starting)
      trouble.begin { _ in .hang }
      let missed = try await calls.perform(.look(since: 0), in: session, over: nil)
      guard case .looked(nil) = missed else { return #expect(missed == nil) }
    }
  }

  @Test("a session that the server does not know ends the delivery: no query finds it later")
  func unknownSession() {
    inFlowWorld(.sessionSockets) { flow in
      let session = flow.workspace.session("s-none")
      let error = await #expect(throws: OppiError.self) {
        _ = try await flow.calls.perform(.look(since: nil), in: session, over: nil)
      }
      #expect(error?.reason == .unknownSession)
    }
  }

  @Test("the failure of a stream ends the delivery, or lets it open another one")
  func failures() {
    let failures: [(OppiError, String)] = [
      (.unknownSession(name: "s"), "shutOut"), (.hungUp(server: "studio"), "lost"),
      (.noAnswer(server: "studio"), "lost"),
      (OppiError(.serverError, "renewed", because: .streamExpired), "expired"),
    ]
    for (error, word) in failures {
      #expect("\(PromptDelivery.Event(failure: error))" == word)
    }
  }
}
