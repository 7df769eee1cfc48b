#pragma once

#include <mpi.h>

#include "worker/sweep/element.hpp"

namespace ringrun::worker {

/// MPI_DATATYPE_NULL where MPI has no such type.
MPI_Datatype mpi_type(DataType type);

/// MPI_OP_NULL where MPI has no such reduction.
MPI_Op mpi_op(ReduceOp op);

}  // namespace ringrun::worker
