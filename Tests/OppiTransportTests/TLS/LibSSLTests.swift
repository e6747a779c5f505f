// SPDX-License-Identifier: MIT

import Glibc
import Testing

@testable import OppiTransport

@Suite struct LibSSLTests {
  @Test("a library that is there and cannot be opened is not called missing")
  func noDescriptors() async {
    await #expect(processExitsWith: .success) {
      var none = rlimit(rlim_cur: 0, rlim_max: 0)
      try #require(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none) == 0)
      do throws(TransportError) {
        _ = try LibSSL()
        Issue.record("a library without a file")
      } catch .tlsFailed(let reason) {
        #expect(reason.contains(String(cString: strerror(EMFILE))))
      } catch {
        Issue.record(error)
      }
    }
  }
}
