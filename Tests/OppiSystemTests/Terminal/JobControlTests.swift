// SPDX-License-Identifier: MIT

import EventLoop
import Glibc
import TestSupport
import Testing

@testable import OppiSystem

/// Signals belong to a process, so each test runs in its own.
@Suite("JobControl")
struct JobControlTests {
  @Test("a stop lasts until the job is continued")
  func stops() async {
    await #expect(processExitsWith: .success) {
      let scratch = try Scratch()
      try #require(Signals.continueOnceStopped("echo stopped >\(scratch.path("stopped"))"))
      JobControl.stop(.process)
      #expect(scratch.read("stopped") == "stopped\n")
    }
  }

  @Test("all processes of the job are stopped")
  func job() async {
    await #expect(processExitsWith: .success) {
      let scratch = try Scratch()
      let isStopped = "grep -q '^State:.T' /proc/$(cat \(scratch.path("other")))/status"
      let wait = "for try in $(seq 1000); do \(isStopped) && break; sleep 0.01; done"
      try #require(
        Signals.continueOnceStopped("\(wait); \(isStopped) && echo >\(scratch.path("stopped"))")
      )
      let other = popen("echo $$; exec sleep 60 >/dev/null", "r")
      var line = [CChar](repeating: 0, count: 20)
      _ = line.withUnsafeMutableBufferPointer { fgets($0.baseAddress, 20, other) }
      let process = try #require(strtol(line, nil, 10) as Int?)
      try scratch.write("\(process)", to: "other")
      JobControl.stop(.job)
      #expect(scratch.names() == ["other", "stopped"])
      kill(pid_t(process), SIGKILL)
      pclose(other)
    }
  }

  @Test("a program that ignores the signal does not stop")
  func ignored() async {
    await #expect(processExitsWith: .success) {
      Signals.unblock()
      signal(SIGTSTP, SIG_IGN)
      #expect(!JobControl.stop(.process))
    }
  }

  @Test("a pending termination signal is detected before it is taken")
  func endRequested() async {
    await #expect(processExitsWith: .success) {
      SignalSet([SIGTERM]).whileBlocked {
        #expect(!JobControl.isEndRequested)
        raise(SIGTERM)
        #expect(JobControl.isEndRequested)
        #expect(SignalSet([SIGTERM]).takePending() == SIGTERM)
        #expect(!JobControl.isEndRequested)
      }
    }
  }
}
