// Element-wise operators of all element types: on vectors where these are floats, on scalars elsewhere.
#map = affine_map<(d) -> (d)>
func.func @main(%arena: memref<8192xi8>,
                %x: memref<40xf32> {aotc.name = "x"},
                %y: memref<40xf32> {aotc.name = "y"},
                %m: memref<40xi1> {aotc.name = "m"},
                %d: memref<40xf64> {aotc.name = "d"},
                %i: memref<40xi8> {aotc.name = "i"},
                %j: memref<40xi8> {aotc.name = "j"})
    -> (memref<40xi1> {aotc.name = "compare"},
        memref<40xi1> {aotc.name = "unordered"},
        memref<40xf32> {aotc.name = "chosen"},
        memref<40xf32> {aotc.name = "masked"},
        memref<40xf32> {aotc.name = "where"},
        memref<40xi1> {aotc.name = "logic"},
        memref<40xf64> {aotc.name = "wide"},
        memref<40xf32> {aotc.name = "narrowed"},
        memref<40xi8> {aotc.name = "added"},
        memref<40xi8> {aotc.name = "quotient"},
        memref<40xi8> {aotc.name = "unsigned_quotient"},
        memref<40xi1> {aotc.name = "below"},
        memref<40xi8> {aotc.name = "bits"},
        memref<40xi8> {aotc.name = "shifted"},
        memref<40xf32> {aotc.name = "scaled"},
        memref<40xi64> {aotc.name = "extended"},
        memref<40xi32> {aotc.name = "truncated"},
        memref<40xf32> {aotc.name = "numbered"})
    attributes {aotc.input_offsets = array<i64: 2560, 2752, 2944, 3008, 3328, 3392>} {
  %at_compare = arith.constant 0 : index
  %compare = memref.view %arena[%at_compare][] : memref<8192xi8> to memref<40xi1>
  %at_unordered = arith.constant 64 : index
  %unordered = memref.view %arena[%at_unordered][] : memref<8192xi8> to memref<40xi1>
  %at_chosen = arith.constant 128 : index
  %chosen = memref.view %arena[%at_chosen][] : memref<8192xi8> to memref<40xf32>
  %at_masked = arith.constant 320 : index
  %masked = memref.view %arena[%at_masked][] : memref<8192xi8> to memref<40xf32>
  %at_where = arith.constant 512 : index
  %where = memref.view %arena[%at_where][] : memref<8192xi8> to memref<40xf32>
  %at_logic = arith.constant 704 : index
  %logic = memref.view %arena[%at_logic][] : memref<8192xi8> to memref<40xi1>
  %at_wide = arith.constant 768 : index
  %wide = memref.view %arena[%at_wide][] : memref<8192xi8> to memref<40xf64>
  %at_narrowed = arith.constant 1088 : index
  %narrowed = memref.view %arena[%at_narrowed][] : memref<8192xi8> to memref<40xf32>
  %at_added = arith.constant 1280 : index
  %added = memref.view %arena[%at_added][] : memref<8192xi8> to memref<40xi8>
  %at_quotient = arith.constant 1344 : index
  %quotient = memref.view %arena[%at_quotient][] : memref<8192xi8> to memref<40xi8>
  %at_unsigned_quotient = arith.constant 1408 : index
  %unsigned_quotient = memref.view %arena[%at_unsigned_quotient][] : memref<8192xi8> to memref<40xi8>
  %at_below = arith.constant 1472 : index
  %below = memref.view %arena[%at_below][] : memref<8192xi8> to memref<40xi1>
  %at_bits = arith.constant 1536 : index
  %bits = memref.view %arena[%at_bits][] : memref<8192xi8> to memref<40xi8>
  %at_shifted = arith.constant 1600 : index
  %shifted = memref.view %arena[%at_shifted][] : memref<8192xi8> to memref<40xi8>
  %at_scaled = arith.constant 1664 : index
  %scaled = memref.view %arena[%at_scaled][] : memref<8192xi8> to memref<40xf32>
  %at_extended = arith.constant 1856 : index
  %extended = memref.view %arena[%at_extended][] : memref<8192xi8> to memref<40xi64>
  %at_truncated = arith.constant 2176 : index
  %truncated = memref.view %arena[%at_truncated][] : memref<8192xi8> to memref<40xi32>
  %at_numbered = arith.constant 2368 : index
  %numbered = memref.view %arena[%at_numbered][] : memref<8192xi8> to memref<40xf32>
  linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%x, %y : memref<40xf32>, memref<40xf32>) outs(%compare : memref<40xi1>) {
  ^bb0(%a: f32, %b: f32, %out: i1):
    %1 = arith.cmpf olt, %a, %b : f32
    linalg.yield %1 : i1
  }
  linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%x, %y : memref<40xf32>, memref<40xf32>) outs(%unordered : memref<40xi1>) {
  ^bb0(%a: f32, %b: f32, %out: i1):
    %1 = arith.cmpf uge, %a, %b : f32
    linalg.yield %1 : i1
  }
  linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%x, %y : memref<40xf32>, memref<40xf32>) outs(%chosen : memref<40xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %c = arith.constant 1.5 : f32
    %0 = arith.cmpf ogt, %a, %b : f32
    %1 = arith.select %0, %a, %c : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%x, %y : memref<40xf32>, memref<40xf32>) outs(%masked : memref<40xf32>) {
  ^bb0(%a: f32, %b: f32, %out: f32):
    %zero = arith.constant 0.0 : f32
    %true = arith.constant true
    %2 = arith.cmpf olt, %a, %b : f32
    %3 = arith.xori %2, %true : i1
    %4 = arith.cmpf ogt, %a, %zero : f32
    %5 = arith.andi %3, %4 : i1
    %6 = arith.cmpf uno, %b, %b : f32
    %7 = arith.ori %5, %6 : i1
    %8 = arith.negf %b : f32
    %1 = arith.select %7, %a, %8 : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel"]}
      ins(%m, %x, %y : memref<40xi1>, memref<40xf32>, memref<40xf32>) outs(%where : memref<40xf32>) {
  ^bb0(%a: i1, %b: f32, %c: f32, %out: f32):
    %1 = arith.select %a, %b, %c : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%m : memref<40xi1>) outs(%logic : memref<40xi1>) {
  ^bb0(%a: i1, %out: i1):
    %true = arith.constant true
    %0 = arith.xori %a, %true : i1
    %2 = arith.andi %a, %0 : i1
    %1 = arith.ori %2, %0 : i1
    linalg.yield %1 : i1
  }
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%d : memref<40xf64>) outs(%wide : memref<40xf64>) {
  ^bb0(%a: f64, %out: f64):
    %0 = math.tanh %a : f64
    %2 = math.exp %a : f64
    %1 = arith.mulf %0, %2 : f64
    linalg.yield %1 : f64
  }
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%d : memref<40xf64>) outs(%narrowed : memref<40xf32>) {
  ^bb0(%a: f64, %out: f32):
    %c = arith.constant 0.3 : f64
    %0 = arith.remf %a, %c : f64
    %1 = arith.truncf %0 : f64 to f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%i, %j : memref<40xi8>, memref<40xi8>) outs(%added : memref<40xi8>) {
  ^bb0(%a: i8, %b: i8, %out: i8):
    %1 = arith.addi %a, %b : i8
    linalg.yield %1 : i8
  }
  linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%i, %j : memref<40xi8>, memref<40xi8>) outs(%quotient : memref<40xi8>) {
  ^bb0(%a: i8, %b: i8, %out: i8):
    %1 = arith.divsi %a, %b : i8
    linalg.yield %1 : i8
  }
  linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%i, %j : memref<40xi8>, memref<40xi8>) outs(%unsigned_quotient : memref<40xi8>) {
  ^bb0(%a: i8, %b: i8, %out: i8):
    %1 = arith.divui %a, %b : i8
    linalg.yield %1 : i8
  }
  linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%i, %j : memref<40xi8>, memref<40xi8>) outs(%below : memref<40xi1>) {
  ^bb0(%a: i8, %b: i8, %out: i1):
    %1 = arith.cmpi ult, %a, %b : i8
    linalg.yield %1 : i1
  }
  linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%i, %j : memref<40xi8>, memref<40xi8>) outs(%bits : memref<40xi8>) {
  ^bb0(%a: i8, %b: i8, %out: i8):
    %c = arith.constant 85 : i8
    %0 = arith.andi %a, %b : i8
    %2 = arith.xori %a, %c : i8
    %1 = arith.ori %0, %2 : i8
    linalg.yield %1 : i8
  }
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%i : memref<40xi8>) outs(%shifted : memref<40xi8>) {
  ^bb0(%a: i8, %out: i8):
    %c = arith.constant 1 : i8
    %1 = arith.shrsi %a, %c : i8
    linalg.yield %1 : i8
  }
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%i : memref<40xi8>) outs(%scaled : memref<40xf32>) {
  ^bb0(%a: i8, %out: f32):
    %c = arith.constant 0.1 : f32
    %0 = arith.uitofp %a : i8 to f32
    %1 = arith.mulf %0, %c : f32
    linalg.yield %1 : f32
  }
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%i : memref<40xi8>) outs(%extended : memref<40xi64>) {
  ^bb0(%a: i8, %out: i64):
    %c = arith.constant 3 : i64
    %0 = arith.extsi %a : i8 to i64
    %1 = arith.muli %0, %c : i64
    linalg.yield %1 : i64
  }
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : memref<40xf32>) outs(%truncated : memref<40xi32>) {
  ^bb0(%a: f32, %out: i32):
    %1 = arith.fptosi %a : f32 to i32
    linalg.yield %1 : i32
  }
  linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]}
      ins(%x : memref<40xf32>) outs(%numbered : memref<40xf32>) {
  ^bb0(%a: f32, %out: f32):
    %0 = linalg.index 0 : index
    %2 = arith.index_cast %0 : index to i64
    %3 = arith.sitofp %2 : i64 to f32
    %1 = arith.addf %3, %a : f32
    linalg.yield %1 : f32
  }
  return %compare, %unordered, %chosen, %masked, %where, %logic, %wide, %narrowed, %added, %quotient, %unsigned_quotient, %below, %bits, %shifted, %scaled, %extended, %truncated, %numbered
    : memref<40xi1>, memref<40xi1>, memref<40xf32>, memref<40xf32>, memref<40xf32>, memref<40xi1>, memref<40xf64>, memref<40xf32>, memref<40xi8>, memref<40xi8>, memref<40xi8>, memref<40xi1>, memref<40xi8>, memref<40xi8>, memref<40xf32>, memref<40xi64>, memref<40xi32>, memref<40xf32>
}
