// SPDX-License-Identifier: MIT

import OppiModel
import Testing

@Suite struct WorkspaceReferenceTests {
  @Test(
    "a composite id is split at the bar and joined again",
    arguments: ["iaOoCYKG", "-CzT5M5I", "_PuA2eDo"]
  )
  func roundTrip(id: String) throws {
    let text = "\(sampleFingerprint)|\(id)"
    let reference = try #require(WorkspaceReference(text))
    #expect(reference.serverID.text == sampleFingerprint)
    #expect(reference.workspaceID == id)
    #expect(reference.description == text)
  }

  @Test(
    "any other text is rejected",
    arguments: [
      "", "|", "\(sampleFingerprint)|", "|iaOoCYKG", "\(sampleFingerprint)|a|b",
      "\(sampleFingerprint):a",
      "\(sampleFingerprint)|a/b", "\(sampleFingerprint)|a b", "server|iaOoCYKG",
    ]
  )
  func refuses(text: String) {
    #expect(WorkspaceReference(text) == nil)
  }
}
